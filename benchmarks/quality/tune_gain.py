"""What `navicache tune` is worth on prompts that it has not seen: its choice against the default.

    python -m benchmarks.quality.tune_gain pocket:unet --call " --guidance 1" --speedups 2 3 --out build/gain/unet-1

Each line of gain.jsonl is one target: what was chosen, and the mean and every prompt's lead over the default on
held-out captions. With --qualities the limit is looked at instead, and the speed-up beside the default's.
"""

import argparse
import functools
import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from navicache.cli.main import import_command
from navicache.cli.tune.command import add_subcommand_options
from navicache.cli.tune.job import TuneJob, read_tune_job
from navicache.cli.tune.run import build_runner
from navicache.cli.tune.runner import TrialRunner
from navicache.evaluation.intervals import estimate_mean
from navicache.evaluation.tuning.scores import Candidate
from navicache.evaluation.tuning.search import build_default
from navicache.evaluation.tuning.targets import Target
from navicache.models import read_settings
from navicache.pocket.held_out import choose_prompts
from navicache.records import open_atomic_file

METRICS = ("psnr", "lpips")


def measure_target(options: argparse.Namespace, tuned: list[str]) -> dict[str, Any]:
    """Tune for one target, and measure the choice and the default on other prompts."""
    parser = argparse.ArgumentParser()
    add_subcommand_options(parser)
    asked = parser.parse_args(tuned)
    if import_command("tune").run(asked):
        raise SystemExit(1)
    settings = read_settings(asked.out / "settings.json")
    job = replace(read_tune_job(asked), prompts=tuple(choose_prompts("held-out", options.held_out)))
    job = replace(job, out=asked.out / "held-out")
    job.out.mkdir(exist_ok=True)
    runner = build_runner(job, asked, lambda *_: None)
    return compare(job, runner, settings)


def compare(job: TuneJob, runner: TrialRunner, settings: Any) -> dict[str, Any]:
    """The scores of the choice and of the default at as many computed steps."""
    choice, total, everything = settings.choice, settings.run.steps, range(len(job.prompts))
    best = Candidate(settings.about["candidate"], choice.policy, choice.knobs)
    usual = build_default(total, max(1, round(total / choice.speedup)))
    runner.run_plain()
    runner.try_out([(best, everything), (usual, everything)])
    board = runner.board
    found: dict[str, Any] = {"target": str(job.target), "chosen": best.name, "policy": choice.policy}
    found |= {"speedup": board.speedup(best.name, everything), "default": usual.name, "prompts": len(job.prompts)}
    for metric in METRICS:
        own, theirs = ([board.runs[name, n].scores[metric] for n in everything] for name in (best.name, usual.name))
        lead = estimate_mean([a - b for a, b in zip(own, theirs, strict=True)])
        found[metric] = {"choice": fmean(own), "default": fmean(theirs), "lead": lead[:3]}
    if job.target.limit is not None:
        found["default_speedup"] = find_default_speedup(runner, job.target, total, everything)
    return found


def find_default_speedup(runner: TrialRunner, target: Target, total: int, prompts: Sequence[int]) -> float:
    """How fast the default may be on these prompts with the limit kept on average: bisection over its steps."""
    fails, keeps, board = 1, total, runner.board
    while keeps - fails > 1:
        middle = build_default(total, (fails + keeps) // 2)
        runner.try_out([(middle, prompts)])
        mean = fmean(board.runs[middle.name, prompt].scores[target.metric] for prompt in prompts)
        is_kept = mean <= (target.limit or 0) if target.metric == "lpips" else mean >= (target.limit or 0)
        fails, keeps = (fails, (fails + keeps) // 2) if is_kept else ((fails + keeps) // 2, keeps)
    return total / keeps


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all targets of one model and call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = functools.partial(parser.add_argument)
    add("model", help="pocket:NAME")
    add("--call", default="", help="options of `navicache tune`, as one text: sampler, shift, guidance, steps")
    add("--speedups", type=float, nargs="*", default=[])
    add("--qualities", nargs="*", default=[], help="such as lpips<=0.05")
    add("--count", type=int, default=16, help="prompts to tune with (%(default)s)")
    add("--held-out", type=int, default=32, help="other prompts to measure on (%(default)s)")
    add("--batch", type=int, default=1, help="prompts in one call (%(default)s)")
    add("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    targets = [("--speedup", f"{speedup:g}") for speedup in options.speedups]
    targets += [("--quality", quality) for quality in options.qualities]
    found: list[dict[str, Any]] = []
    options.out.mkdir(parents=True, exist_ok=True)
    for number, target in enumerate(targets):
        share = options.out / f"share-{number}.json"  # for docs/tried-models
        usual = ["--model", options.model, "--count", str(options.count), "--batch", str(options.batch)]
        tuned = [*usual, *shlex.split(options.call), *target, "--videos", "0", "--share", str(share)]
        tuned += ["--out", str(options.out)]
        about = {"model": options.model, "call": options.call}
        found.append({**about, **measure_target(options, tuned)})
        with open_atomic_file(options.out / "gain.jsonl") as file:
            file.write("".join(json.dumps(row) + "\n" for row in found).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
