"""`navicache bench`: a plan of models, settings, prompts and seeds, measured; run it again to go on."""

import argparse
import errno
import functools
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from navicache.cli.options import positive
from navicache.cli.vbench import run_module

STAND_IN = ""  # in place of prompts that were not found: all else is looked at as well


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="what to measure (plans/ has the paper's)")
    parser.add_argument("--out", type=Path, help="folder of the results (outputs/bench/NAME of the plan)")
    parser.add_argument("--executor", choices=("local", "ray"), default="local", help="(%(default)s)")
    parser.add_argument("--workers", type=positive, help="of Ray: one for each GPU, or CPU, unless given")
    parser.add_argument("--ray-address", help="of a running cluster; --out must then lie where every machine sees it")
    parser.add_argument("--prompts", type=positive, metavar="N", help="so many prompts, in place of the plan's count")
    parser.add_argument("--accuracy", type=positive, metavar="N", help="the same for its runs in shadow mode")
    only = (
        "models=, conditions= or settings= and names or their first words, with * and commas: these alone; repeatable"
    )
    parser.add_argument("--only", action="append", default=[], metavar="KIND=NAMES", help=only)
    parser.add_argument("--part", metavar="N/OF", help="every so many-th group, for several processes (--out differs)")
    parser.add_argument(
        "--list", action="store_true", help="only say what would be measured, and what is missing for it"
    )
    vbench = "deprecated: `python -m benchmarks.vbench OUT --results DIR` takes in the scores that VBench has written"
    parser.add_argument("--vbench-results", type=Path, metavar="DIR", help=vbench)


def run(options: argparse.Namespace) -> int:
    """Look whether all is there, measure what is missing, and close with a table."""
    from navicache.cli.bench.checks import check, look
    from navicache.cli.bench.frames import FRAMES, waiting
    from navicache.evaluation.bench.names import slug
    from navicache.evaluation.bench.rows import RowFile
    from navicache.evaluation.bench.session import ROWS

    plan, groups, wrong = understood(options)
    part = f" part {options.part}" if options.part else ""
    out = options.out or Path("outputs/bench") / slug(plan.name + part)
    if options.list:
        return look(plan, groups, out, options, wrong)
    if options.vbench_results:
        return run_module("--vbench-results", [str(out), "--results", str(options.vbench_results)])
    check(plan, groups, out, options, wrong)
    measure(plan, groups, out, options)
    print("\n".join(closing(RowFile(out / ROWS).rows, plan.ours)))
    if waits := waiting(out):
        print(f"\n{len(waits)} videos wait for LPIPS in {out / FRAMES}: run this again with its weights there")
    print(f"\nresults in {out}; look at them with: navicache report {out}")
    return 0


def understood(options: argparse.Namespace) -> tuple[Any, list[Any], list[str]]:
    """The plan, its groups as chosen, and what is wrong with its prompts."""
    from navicache.cli.bench.checks import refusal
    from navicache.cli.bench.plan import called, choose_prompts, resized
    from navicache.evaluation.bench.jobs import expand
    from navicache.evaluation.bench.plan_file import read_plan
    from navicache.evaluation.bench.plan_values import WrongPlan
    from navicache.evaluation.bench.selection import choose, one_part

    try:
        plan = called(resized(read_plan(options.plan), options.prompts, options.accuracy))
    except WrongPlan as error:
        raise ValueError(refusal(error.problems)) from error
    try:
        prompts, wrong = choose_prompts(plan.prompts, options.plan.parent), []
    except ValueError as error:
        prompts, wrong = [STAND_IN], [str(error)]
    groups = choose(expand(plan, prompts), options.only)
    return plan, one_part(groups, options.part) if options.part else groups, wrong


def closing(rows: Sequence[dict[str, Any]], ours: Sequence[str]) -> list[str]:
    """The table of all settings; of batches, which have no times, the one at equal computed steps, if any."""
    from navicache.cli.bench.equal_table import describe_equal
    from navicache.cli.bench.table import describe
    from navicache.evaluation.bench.study import batched

    equal = describe_equal(rows, ours) if any(batched(row) for row in rows) else []
    return equal or describe(rows)


def measure(plan: Any, groups: Sequence[Any], out: Path, options: argparse.Namespace) -> None:
    """Every job that is not finished, behind one bar."""
    from tqdm import tqdm

    from navicache.cli.bench.files import Shelf
    from navicache.cli.bench.worker import PipelineWorker
    from navicache.evaluation.bench.executors import run_local
    from navicache.evaluation.bench.ray_executor import RayExecutor
    from navicache.evaluation.bench.session import measure as carry_out
    from navicache.generation.progress import folded
    from navicache.generation.session import each_note_once

    out.mkdir(parents=True, exist_ok=True)
    keep_plan(options.plan, out)
    complete_scores(plan, groups, out)
    executor = run_local if options.executor == "local" else RayExecutor(options.workers, options.ray_address)
    with tqdm(desc=plan.name, unit="job", **folded()) as bar, each_note_once(), room(out):
        place = out.absolute()
        shelf, beside = Shelf(place, plan.videos, plan.traces), plan.clock == "beside"
        make = functools.partial(PipelineWorker, place, shelf, plan.metrics, beside)
        carry_out(out, groups, make, executor, functools.partial(show, bar))


def complete_scores(plan: Any, groups: Sequence[Any], out: Path) -> None:
    """LPIPS of the videos that waited for its weights, if they are there now."""
    from tqdm import tqdm

    from navicache.cli.bench.frames import complete, waiting
    from navicache.cli.bench.preflight import lpips_missing
    from navicache.evaluation.bench.jobs import jobs_of
    from navicache.evaluation.bench.rows import RowFile
    from navicache.evaluation.bench.session import ROWS, only_one
    from navicache.generation.progress import folded

    videos = waiting(out)
    if not videos or "lpips" not in plan.metrics or lpips_missing():
        return
    with only_one(out), tqdm(desc="LPIPS", unit="video", total=len(videos), **folded()) as bar, room(out):
        for scored in complete(out, RowFile(out / ROWS), {job.group for job in jobs_of(groups)}):
            bar.update(scored)


@contextmanager
def room(out: Path) -> Generator[None, None, None]:
    """A disk that is full after all ends in advice: rows and files are whole or not there, so nothing is lost."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise ValueError(f"the disk of {out} is full: make room, and run the same command again to go on") from error


def show(bar: Any, finished: int, jobs: int, row: dict[str, Any] | None) -> None:
    """Move the bar; jobs of an earlier run do not count for its speed."""
    if row is None:
        bar.total, bar.initial, bar.n = jobs, finished, finished
        bar.refresh()
    else:
        bar.set_postfix_str(f"{row['setting']}: {_news(row)}", refresh=False)
        bar.update(finished - bar.n)


def _news(row: dict[str, Any]) -> str:
    return "computed {computed} of {total}".format(**row["steps"]) if "steps" in row else "not possible on this model"


def keep_plan(path: Path, out: Path) -> None:
    """The plan beside its results, so that they can be made again."""
    from navicache.evaluation.bench.session import PLAN_COPY
    from navicache.records import open_atomic_file

    with open_atomic_file(out / PLAN_COPY) as file:
        file.write(path.read_bytes())
