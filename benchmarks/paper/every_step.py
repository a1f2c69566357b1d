"""Record runs that compute every step: the shadow runs' truth, without baselines and other settings.

    python -m benchmarks.paper.every_step plans/pocket/random_walk.toml --only models=hunyuan --out RESULTS/hunyuan

The traces hold the changes of input and output at every step, for benchmarks/paper/random_walk.py. It goes on where it
stopped.
"""

import argparse
import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.run import parse_options, update_bar
from navicache.cli.bench.worker import PipelineWorker
from navicache.cli.options import parse_positive_int
from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import EVERY_STEP, JobGroup
from navicache.evaluation.bench.session import PLAN_COPY, run_missing_jobs
from navicache.generation.progress import bar_options
from navicache.records import open_atomic_file


def record_every_step(group: JobGroup) -> JobGroup:
    """One call that computes every step, in place of a group's baseline and settings."""
    return (tuple(replace(job, kind="shadow", setting=EVERY_STEP) for job in group[0]),)


def main(arguments: Sequence[str] | None = None) -> int:
    """Record what is missing."""
    options = parse_arguments(arguments)
    plan, groups, wrong = parse_options(options)
    if wrong:
        raise ValueError("\n".join(wrong))
    options.out.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(options.out / PLAN_COPY) as file:
        file.write(options.plan.read_bytes())
    make_worker = functools.partial(PipelineWorker, options.out, ResultFiles(options.out, 0, 0), plan.metrics)
    with tqdm(desc=plan.name, unit="run", **bar_options()) as bar:
        calls = [record_every_step(group) for group in groups]
        run_missing_jobs(options.out, calls, make_worker, run_in_process, functools.partial(update_bar, bar))
    print(f"traces in {options.out}; test them with `python -m benchmarks.paper.random_walk`")
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of `bench` that have a meaning here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("plan", type=Path, metavar="PLAN.toml")
    add("--out", type=Path, required=True, help="folder of the results")
    add("--prompts", type=parse_positive_int, metavar="N", help="number of prompts, in place of the plan's")
    add("--only", action="append", default=[], metavar="KIND=NAMES", help="as of `navicache bench`; repeatable")
    parser.set_defaults(accuracy=None, part=None)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
