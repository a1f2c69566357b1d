"""`navicache calibrate`: measure on a pipeline what a policy needs to know of it."""

import argparse
from pathlib import Path
from typing import Any

from navicache.cli.calibrate.measure import DEFAULT_SIGNAL, calibrate
from navicache.cli.options import (
    add_call_options,
    add_device_options,
    choose_default_prompts,
    parse_seed,
    parse_text,
)
from navicache.generation.job import MODEL_HELP, POCKET, CacheSettings, GenerationJob, ModelSource
from navicache.models import CALIBRATED_METHODS

SIGNALS = (DEFAULT_SIGNAL, "time", "time_projection")


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--method", choices=CALIBRATED_METHODS, required=True, help="the policy to calibrate")
    parser.add_argument("--model", default=POCKET, help=f"{MODEL_HELP} (%(default)s)")
    parser.add_argument("--prompt", action="append", type=parse_text, help="what to show; give it again for more")
    parser.add_argument("--prompts", type=Path, metavar="FILE", help="a file with one prompt per line")
    parser.add_argument("--signal", choices=SIGNALS, default=DEFAULT_SIGNAL, help="what TeaCache watches (%(default)s)")
    add_call_options(parser)
    parser.add_argument("--seed", type=parse_seed, default=0, help="of the noise of the first prompt (%(default)s)")
    out = "JSON file to write; a plot goes beside"
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=out)
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    """Generate with every step computed, fit, write, and say how well it fits."""
    job = read_job(options)
    from navicache.generation.checks import check_output
    from navicache.generation.loading import load_pipeline
    from navicache.generation.session import check_before_loading, check_loaded_pipeline
    from navicache.report.fit_plot import save_fit_plot

    check_output(options.out.parent)
    check_before_loading(job)
    pipe = load_pipeline(job.source)
    check_loaded_pipeline(pipe, job)
    calibration, seen = calibrate(options.method, options.signal, pipe, job)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    calibration.save(options.out)
    save_fit_plot(calibration, seen, options.out.with_suffix(".png"))
    print(describe_calibration(calibration, options.out))
    return 0


def read_job(options: argparse.Namespace) -> GenerationJob:
    """The options as a job without a cache."""
    source = ModelSource(options.model, options.dtype, options.device, options.offload, options.shift)
    prompts = [*(options.prompt or []), *(read_prompts(options.prompts) if options.prompts else [])]
    arguments, texts = source.fill_arguments(vars(options)), tuple(prompts or choose_default_prompts(source))
    return GenerationJob(source, texts, arguments, CacheSettings(), options.out, options.seed)


def read_prompts(path: Path) -> list[str]:
    """The lines of a file that are not empty."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ValueError(f"cannot read the prompts in {path}: {error.strerror}") from error
    if not any(line.strip() for line in lines):
        raise ValueError(f"{path} holds no prompt: write one per line")
    return [line.strip() for line in lines if line.strip()]


def describe_calibration(calibration: Any, path: Path) -> str:
    """How well it fits, how long it took, and how to use it."""
    words = {
        "r2": "R²",
        "points": "points",
        "spread": "deviation between runs",
        "held": "relative error of holding",
        "error": "of predicting, one step ahead",
        "runs": "runs",
    }
    quality = ", ".join(f"{words[name]} {value:.4g}" for name, value in calibration.quality.items())
    lines = [f"{calibration.method} on {calibration.model}: {quality}, {calibration.about['seconds']} s"]
    if calibration.quality.get("r2", 1.0) < 0.8:
        lines.append("the curve explains little: look at the plot, and try another --signal or more prompts")
    lines += [f"  {path}", f"  {path.with_suffix('.png')}"]
    return "\n".join([*lines, f"navicache.enable(pipe, {calibration.method!r}, calibration={str(path)!r})"])
