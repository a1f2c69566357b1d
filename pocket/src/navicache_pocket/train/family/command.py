"""`python -m navicache_pocket.train --member NAME`: train a member of the family, or resume its training."""

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from navicache_pocket.train.family.catalog import RECIPES
from navicache_pocket.train.family.stages import TrainingPlan, train_member
from navicache_pocket.train.timed_stage import StageInterrupted


def train_from_command_line(name: str, arguments: Sequence[str]) -> None:
    """Run all stages of a member, or as many as there is time for."""
    plan = parse_plan(name, arguments)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    try:
        folder = train_member(RECIPES[name], plan)
    except StageInterrupted as stage:
        print(f"{name}: stopped in its stage {stage}; run the same command again to go on")
    else:
        print(f"{name}: checkpoint in {folder}, figures and a contact sheet beside it")


def parse_plan(name: str, arguments: Sequence[str]) -> TrainingPlan:
    """The options as a plan, checked before anything is built."""
    parser = argparse.ArgumentParser(prog=f"python -m navicache_pocket.train --member {name}", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build") / name)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    for stage in ("autoencoder", "denoiser", "distil"):
        usual = getattr(TrainingPlan, f"{stage}_seconds")
        parser.add_argument(f"--{stage}-seconds", type=parse_seconds, default=usual, help="in all tries (%(default)s)")
    parser.add_argument(
        "--stop-after", type=parse_seconds, default=math.inf, help="seconds of this try, its start included"
    )
    parser.add_argument("--start", type=Path, help="a checkpoint of it, whose denoiser is trained further")
    parser.add_argument(
        "--clips", type=parse_count, default=TrainingPlan.clips, help="pictures the autoencoder sees (%(default)s)"
    )
    parser.add_argument(
        "--videos", type=parse_count, default=TrainingPlan.videos, help="those the denoiser sees (%(default)s)"
    )
    parser.add_argument(
        "--autoencoder-batch", type=parse_count, default=TrainingPlan.autoencoder_batch, help="(%(default)s)"
    )
    parser.add_argument("--batch", type=parse_count, default=TrainingPlan.batch, help="of the denoiser (%(default)s)")
    parser.add_argument(
        "--checked", type=parse_count, default=TrainingPlan.checked, help="held-out pictures measured (%(default)s)"
    )
    parser.add_argument(
        "--sheet", type=parse_count, default=TrainingPlan.sheet, help="captions on the sheet (%(default)s)"
    )
    parser.add_argument("--steps", type=parse_count, help="of the sheet's sampler, in place of the member's own")
    options = vars(parser.parse_args(arguments))
    if options["device"].startswith("cuda") and not torch.cuda.is_available():
        parser.error("PyTorch sees no GPU here: give --device cpu, which takes days but for a try with few seconds")
    if options["out"].exists() and not options["out"].is_dir():
        parser.error(f"{options['out']} is a file: name another folder with --out")
    if options["start"] and not (options["start"] / "model_index.json").is_file():
        parser.error(f"{options['start']} is no checkpoint: name a folder with a model_index.json")
    until = time.monotonic() + options.pop("stop_after")
    return TrainingPlan(**options, deadline=until)


def parse_count(text: str) -> int:
    """A whole number above zero.

    Example:
        >>> parse_count("16")
        16
    """
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"must be a whole number above zero, got {text!r}")
    return int(text)


def parse_seconds(text: str) -> float:
    """A time above zero.

    Example:
        >>> parse_seconds("0.5")
        0.5
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be seconds above zero, got {text!r}")
    return value
