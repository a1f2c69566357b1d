"""`navicache generate`: a video or image of a prompt with the cache, and without it to compare."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import get_args

from navicache.cli.options import (
    add_cache_options,
    add_call_options,
    add_device_options,
    add_settings_options,
    choose_default_prompts,
    parse_positive_int,
    parse_seed,
    parse_text,
    read_cache_options,
)
from navicache.generation.job import DEFAULT_FPS, MODEL_HELP, POCKET, GenerationJob, ModelSource
from navicache.records import ShadowMode


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--model", default=POCKET, help=f"{MODEL_HELP} (%(default)s)")
    prompt = "what to show; give it again for more videos"
    parser.add_argument("--prompt", action="append", type=parse_text, help=prompt)
    add_call_options(parser)
    seed = "of the noise, the same for every prompt (%(default)s)"
    parser.add_argument("--seed", type=parse_seed, default=0, help=seed)
    fps = f"frames a second (8 for the pocket, {DEFAULT_FPS} else)"
    parser.add_argument("--fps", type=parse_positive_int, help=fps)
    add_cache_options(parser)
    add_settings_options(parser)
    extra = parser.add_mutually_exclusive_group()  # the seconds of a shadow run say nothing about the cache
    extra.add_argument("--compare", action="store_true", help="also run without the cache, and measure the difference")
    shadow = "run every step, and draw predicted against true errors: on the cached or on the full trajectory"
    extra.add_argument("--shadow", choices=get_args(ShadowMode), help=shadow)
    parser.add_argument("--out", type=Path, default=Path("outputs/generate"), help="folder to write to (%(default)s)")
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    """Generate, write the files, and print a summary."""
    from navicache.generation.session import generate_prompt_results
    from navicache.generation.summary import describe_result

    for result in generate_prompt_results(read_job(options)):
        print(describe_result(result), flush=True)
    return 0


def read_job(options: argparse.Namespace) -> GenerationJob:
    """The options as a job."""
    source = ModelSource(options.model, options.dtype, options.device, options.offload, options.shift)
    prompts, arguments = tuple(options.prompt or choose_default_prompts(source)), source.fill_arguments(vars(options))
    tuned, fps = {"settings": options.settings, "quality": options.quality}, options.fps or source.fps
    caching = replace(read_cache_options(options), shadow=options.shadow, **tuned)
    return GenerationJob(source, prompts, arguments, caching, options.out, options.seed, fps, options.compare)
