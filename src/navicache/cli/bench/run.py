"""Run a benchmark: read the options, check what is missing, run the jobs and print a table."""

import argparse
import errno
import functools
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from navicache.cli.bench.equal_table import equal_steps_table
from navicache.cli.bench.job_list import join_problems, list_jobs, refuse_problems
from navicache.cli.bench.plan_setup import add_embedded_calls, choose_prompts, read_settings_files, set_prompt_counts
from navicache.cli.bench.preflight import explain_missing_lpips
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.summary_table import summary_table
from navicache.cli.bench.waiting_frames import FRAMES, complete_lpips, find_waiting_frames
from navicache.cli.bench.worker import PipelineWorker
from navicache.cli.vbench import run_module
from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import JobGroup, expand_plan, iterate_jobs
from navicache.evaluation.bench.names import slug
from navicache.evaluation.bench.plan import BenchPlan, PlanPrompts
from navicache.evaluation.bench.plan_file import read_plan
from navicache.evaluation.bench.plan_readers import PlanErrors
from navicache.evaluation.bench.ray_executor import RayExecutor
from navicache.evaluation.bench.rows import Row, RowFile
from navicache.evaluation.bench.selection import select_jobs, select_part
from navicache.evaluation.bench.session import PLAN_COPY, ROWS, lock_folder, run_missing_jobs
from navicache.evaluation.bench.summaries import is_batched
from navicache.generation.progress import bar_options
from navicache.generation.session import log_notes_once
from navicache.records import open_atomic_file

PLACEHOLDER_PROMPT = ""  # in place of prompts that were not found: all else is checked as well


def run_benchmark(options: argparse.Namespace) -> int:
    """Check the plan, run the unfinished jobs, and print a table."""
    plan, groups, wrong = parse_options(options)
    part = f" part {options.part}" if options.part else ""
    out = options.out or Path("outputs/bench") / slug(plan.name + part)
    if options.list:
        return list_jobs(plan, groups, out, options, wrong)
    if options.vbench_results:
        return run_module("--vbench-results", [str(out), "--results", str(options.vbench_results)])
    refuse_problems(plan, groups, out, options, wrong)
    run_jobs(plan, groups, out, options)
    print("\n".join(format_closing_table(RowFile(out / ROWS).rows, plan.ours)))
    if waits := find_waiting_frames(out):
        print(f"\n{len(waits)} videos wait for LPIPS in {out / FRAMES}: run this again with its weights there")
    print(f"\nresults in {out}; look at them with: navicache report {out}")
    return 0


def parse_options(options: argparse.Namespace) -> tuple[BenchPlan, list[JobGroup], list[str]]:
    """The plan, its selected jobs, and what is wrong with its prompts."""
    try:
        plan = read_settings_files(read_plan(options.plan), options.plan.parent)
        plan = add_embedded_calls(set_prompt_counts(plan, options.prompts, options.accuracy))
    except PlanErrors as error:
        raise ValueError(join_problems(error.problems)) from error
    prompts, wrong = find_prompts(plan, options.plan.parent)
    groups = select_jobs(expand_plan(plan, prompts[plan.prompts], prompts), options.only)
    return plan, select_part(groups, options.part) if options.part else groups, wrong


def find_prompts(plan: BenchPlan, folder: Path) -> tuple[dict[PlanPrompts, list[str]], list[str]]:
    """The prompts of the plan and of its conditions, and what is wrong with them."""
    found: dict[PlanPrompts, list[str]] = {}
    wrong: list[str] = []
    for wanted in filter(None, (plan.prompts, plan.tune, *(condition.prompts for condition in plan.conditions))):
        try:
            found[wanted] = choose_prompts(wanted, folder)
        except ValueError as error:
            found[wanted] = [PLACEHOLDER_PROMPT]
            wrong.append(str(error))
    return found, list(dict.fromkeys(wrong))


def format_closing_table(rows: Sequence[Row], ours: Sequence[str]) -> list[str]:
    """The table of all settings; for batches, which have no times, the table at equal computed steps."""
    equal = equal_steps_table(rows, ours) if any(is_batched(row) for row in rows) else []
    return equal or summary_table(rows)


def run_jobs(plan: BenchPlan, groups: Sequence[JobGroup], out: Path, options: argparse.Namespace) -> None:
    """Run every unfinished job, with a progress bar."""
    out.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(out / PLAN_COPY) as file:
        file.write(options.plan.read_bytes())
    complete_lpips_scores(plan, groups, out)
    executor = run_in_process if options.executor == "local" else RayExecutor(options.workers, options.ray_address)
    with tqdm(desc=plan.name, unit="job", **bar_options()) as bar, log_notes_once(), explain_full_disk(out):
        place = out.absolute()
        shelf, beside = ResultFiles(place, plan.videos, plan.traces), plan.clock == "beside"
        make = functools.partial(PipelineWorker, place, shelf, plan.metrics, beside)
        run_missing_jobs(out, groups, make, executor, functools.partial(update_bar, bar))


def complete_lpips_scores(plan: BenchPlan, groups: Sequence[JobGroup], out: Path) -> None:
    """Score the videos that waited for the weights of LPIPS, if the weights are there."""
    videos = find_waiting_frames(out)
    if not videos or "lpips" not in plan.metrics or explain_missing_lpips():
        return
    with (
        lock_folder(out),
        tqdm(desc="LPIPS", unit="video", total=len(videos), **bar_options()) as bar,
        explain_full_disk(out),
    ):
        for scored in complete_lpips(out, RowFile(out / ROWS), {job.group for job in iterate_jobs(groups)}):
            bar.update(scored)


@contextmanager
def explain_full_disk(out: Path) -> Generator[None, None, None]:
    """Turn a full disk into advice; files are written whole or not at all, so nothing is lost."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise ValueError(f"the disk of {out} is full: make room, and run the same command again to go on") from error


def update_bar(bar: Any, finished: int, jobs: int, row: Row | None) -> None:
    """Move the bar; jobs of an earlier run do not count for its speed."""
    if row is None:
        bar.total, bar.initial, bar.n = jobs, finished, finished
        bar.refresh()
    else:
        did = (
            "computed {computed} of {total}".format(**row["steps"]) if "steps" in row else "not possible on this model"
        )
        bar.set_postfix_str(f"{row['setting']}: {did}", refresh=False)
        bar.update(finished - bar.n)
