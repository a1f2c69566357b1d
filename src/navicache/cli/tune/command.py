"""`navicache tune`: find the best setting for a model by measuring it. Run it again to continue."""

import argparse
from pathlib import Path

from navicache.cli.options import (
    add_call_options,
    add_device_options,
    parse_count,
    parse_positive_int,
    parse_positive_number,
    parse_seed,
)
from navicache.cli.tune import DEFAULT_PROMPTS
from navicache.cli.tune.target import read_target
from navicache.generation.job import MODEL_HELP, POCKET
from navicache.models import LPIPS_OF_QUALITY, QUALITIES


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--model", default=POCKET, help=f"{MODEL_HELP} (%(default)s)")
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--speedup", type=parse_positive_number, help="find the best quality at this speed-up")
    goal.add_argument("--quality", help="find the fastest setting that keeps it: lpips<=0.05, psnr>=32 or ssim>=0.95")
    words = ", ".join(f"{word} is lpips<={limit}" for word, limit in LPIPS_OF_QUALITY.items())
    goal.add_argument("--level", choices=QUALITIES, help=f"the same by a word: {words} (high)")
    prompts = "one prompt a line; half are searched with, half confirm (an embedded model's own captions by default)"
    parser.add_argument("--prompts", type=Path, metavar="FILE", help=prompts)
    count = f"how many of them (all; {DEFAULT_PROMPTS} of an embedded model's)"
    parser.add_argument("--count", type=parse_positive_int, help=count)
    seed = "of the noise, the same for every prompt (%(default)s)"
    parser.add_argument("--seed", type=parse_seed, default=0, help=seed)
    add_call_options(parser)
    sampler = "scheduler class of diffusers in place of the model's own, as UniPCMultistepScheduler"
    parser.add_argument("--sampler", help=sampler)
    parser.add_argument("--minutes", type=parse_positive_number, help="stop searching after this time, and confirm")
    effort = "compute to spend, in runs without a cache for each prompt (%(default)s)"
    parser.add_argument("--effort", type=parse_positive_number, default=5.0, help=effort)
    batch = "prompts in one call: faster on a large card (%(default)s)"
    parser.add_argument("--batch", type=parse_positive_int, default=1, metavar="N", help=batch)
    parser.add_argument("--no-rivals", action="store_true", help="try schedules alone, no other policies")
    parser.add_argument("--out", type=Path, default=Path("outputs/tune"), help="folder of the results (%(default)s)")
    videos = "prompts whose videos are kept, 0 for none: then no video writer is needed (%(default)s)"
    parser.add_argument("--videos", type=parse_count, default=2, metavar="N", help=videos)
    share = "also write one row about it for docs/tried-models: no prompt, no path, no name"
    parser.add_argument("--share", type=Path, metavar="FILE", help=share)
    parser.add_argument("--executor", choices=("local", "ray"), default="local", help="(%(default)s)")
    parser.add_argument("--workers", type=parse_positive_int, help="number of Ray workers (one per GPU, or per CPU)")
    parser.add_argument("--ray-address", help="address of a running cluster; every machine must see --out")
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    """Search, confirm, and write what was found."""
    read_target(options)  # a wrong one is refused before diffusers is imported, which takes long
    from navicache.cli.tune.run import run_tune

    return run_tune(options)
