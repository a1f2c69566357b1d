"""`navicache calibrate`: measure on a pipeline what a policy needs to know of it."""

import argparse
import time
from pathlib import Path
from typing import Any

from navicache.cli.calibrate_outputs import Found, every_prompt
from navicache.cli.calibrate_outputs import measure as measure_courses
from navicache.cli.generate import default_prompts
from navicache.cli.job import NAMED, POCKET, Caching, Job, Source, read_arguments
from navicache.cli.values import above_zero, positive
from navicache.models import CALIBRATED_METHODS, Calibration

USUAL_SIGNAL = "modulated"
SIGNALS = (USUAL_SIGNAL, "time", "time_projection")
SIGHTED = ("teacache", "magcache")  # made of what is seen inside the model, step by step; the others of its outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--method", choices=CALIBRATED_METHODS, required=True, help="the policy to calibrate")
    parser.add_argument("--model", default=POCKET, help=f"{NAMED} (%(default)s)")
    parser.add_argument("--prompt", action="append", help="what to show; give it again for more")
    parser.add_argument("--prompts", type=Path, metavar="FILE", help="a file with a prompt a line")
    parser.add_argument("--signal", choices=SIGNALS, default=USUAL_SIGNAL, help="what TeaCache watches (%(default)s)")
    parser.add_argument("--negative-prompt")
    parser.add_argument("--image", metavar="FILE", help="the picture a video begins with, for pipelines that take one")
    parser.add_argument("--steps", type=positive, help="denoising steps")
    parser.add_argument("--shift", type=above_zero, help="flow shift of the scheduler, in place of the model's own")
    parser.add_argument("--guidance", type=float, help="guidance scale")
    parser.add_argument("--seed", type=int, default=0, help="of the noise of the first prompt (%(default)s)")
    for name in ("frames", "height", "width"):
        parser.add_argument(f"--{name}", type=positive)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="JSON file to write; a plot goes beside"
    )
    parser.add_argument("--dtype", choices=("auto", "float32", "bfloat16", "float16"), default="auto")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1 or mps (%(default)s)")
    parser.add_argument("--offload", choices=("none", "model", "sequential", "group"), default="none")


def run(options: argparse.Namespace) -> int:
    """Generate with every step computed, fit, write, and say how well it fits."""
    job = read_job(options)
    from navicache.cli.checks import check_output
    from navicache.cli.loading import load
    from navicache.cli.session import check, check_early
    from navicache.report.fit_plot import save_fit_plot

    check_output(options.out.parent)
    check_early(job)
    pipe = load(job.source)
    check(pipe, job)
    calibration, seen = calibrated(options.method, options.signal, pipe, job)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    calibration.save(options.out)
    save_fit_plot(calibration, seen, options.out.with_suffix(".png"))
    print(describe(calibration, options.out))
    return 0


def read_job(options: argparse.Namespace) -> Job:
    """The options as a job without a cache."""
    source = Source(options.model, options.dtype, options.device, options.offload, options.shift)
    prompts = [*(options.prompt or []), *(read_prompts(options.prompts) if options.prompts else [])]
    arguments = read_arguments(options, source)
    return Job(source, tuple(prompts or default_prompts(source)), arguments, Caching(), options.out, options.seed)


def read_prompts(path: Path) -> list[str]:
    """The lines of a file that are not empty."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ValueError(f"cannot read the prompts in {path}: {error.strerror}") from error
    if not any(line.strip() for line in lines):
        raise ValueError(f"{path} holds no prompt: write one a line")
    return [line.strip() for line in lines if line.strip()]


def look(pipe: Any, job: Job, signal: Any, shown: bool) -> list[Any]:
    """What a probe sees in all prompts."""
    from navicache.integrations.pipeline_probe import probe_pipeline

    with probe_pipeline(pipe, signal) as probe:
        for _ in every_prompt(pipe, job, shown):
            pass
        return probe.sights


def calibrated(method: str, signal: str, pipe: Any, job: Job, shown: bool = True) -> tuple[Calibration, list[Any]]:
    """The calibration, and what was seen for its plot."""
    start = time.perf_counter()
    knobs, quality, seen = measure(method, signal, pipe, job, shown)
    facts = about(pipe, job, time.perf_counter() - start)
    return Calibration(method, facts.pop("transformer"), knobs, quality, facts), seen


def measure(method: str, signal: str, pipe: Any, job: Job, shown: bool) -> Found:
    """What was seen as knobs of the policy, how well they fit, and what was seen."""
    from navicache.evaluation.fit_from_changes import fit_teacache_polynomial, measure_magcache_ratios

    if method not in SIGHTED:
        return measure_courses(method, pipe, job, shown)
    sights = look(pipe, job, signal, shown)
    if method == "teacache":
        coefficients, quality = fit_teacache_polynomial(sights)
        return {"coefficients": coefficients, "signal": signal}, quality, sights
    return (*measure_magcache_ratios(sights), sights)


def about(pipe: Any, job: Job, seconds: float) -> dict[str, Any]:
    """What was measured on, and how long it took."""
    from navicache.cli.session import about
    from navicache.integrations.diffusers import find_denoisers

    known = about(pipe, job)
    own = {"prompts": len(job.prompts), "scheduler": type(pipe.scheduler).__name__, "seconds": round(seconds, 1)}
    kept = {name: known[name] for name in ("model", "arguments", "seed", "machine", "versions")}
    return {"transformer": type(next(iter(find_denoisers(pipe).values()))).__name__, **own, **kept}


def describe(calibration: Any, path: Path) -> str:
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
