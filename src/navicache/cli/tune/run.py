"""Run a search: plain runs, rounds of candidates, confirmation, and the files of what was found."""

import argparse
import functools
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from navicache.cli.bench.preflight import explain_missing_lpips
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.run import explain_full_disk
from navicache.cli.tune.answer import Answer, write_answer
from navicache.cli.tune.answer_text import describe_answer
from navicache.cli.tune.job import TuneJob, read_tune_job
from navicache.cli.tune.runner import METRICS, TellRow, TrialRunner
from navicache.cli.tune.worker import FACTS, TuningWorker
from navicache.evaluation.bench.executors import Executor, MakeWorker, run_in_process
from navicache.evaluation.bench.ray_executor import RayExecutor
from navicache.evaluation.bench.rows import Row, RowFile
from navicache.evaluation.bench.session import ROWS, lock_folder
from navicache.evaluation.tuning.quality_search import QualitySearch
from navicache.evaluation.tuning.scores import Candidate, Scoreboard
from navicache.evaluation.tuning.search import SURVIVORS, Search, TuneTask
from navicache.evaluation.tuning.shapes import SHAPES
from navicache.generation.progress import bar_options
from navicache.generation.session import log_notes_once
from navicache.policies.schedule_forms import PLAIN, TEXT_FLOW
from navicache.records import open_atomic_file

SEARCH = "search.json"  # what the rows of a folder are about
TRACES = 2  # prompts whose traces are kept: one of the search, one of the confirmation
LEAST_COMPUTED = 2  # a line needs two
RIVAL_LOOKS = 6  # runs in which a rival's threshold is found: fewer may do, more are not spent


def run_tune(options: argparse.Namespace) -> int:
    """Search, confirm, write the settings and say what was found."""
    job = read_tune_job(options)
    most = options.effort * len(job.prompts)
    with tqdm(desc=f"tune for {job.target}", unit="run", total=math.ceil(most), **bar_options()) as bar:
        answer, path = tune(job, options, functools.partial(move_bar, bar))
    print("\n".join(describe_answer(job, answer, path)))
    return 0


def tune(job: TuneJob, options: argparse.Namespace, tell: TellRow) -> tuple[Answer, Path]:
    """Search, confirm and write what was found; `tell` may raise to stop, and the same search goes on from there."""
    check_same_search(job)
    job.out.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(job.out / SEARCH) as file:
        file.write(json.dumps(job.facts, indent=1).encode())
    with lock_folder(job.out), explain_full_disk(job.out), log_notes_once():
        answer = search(job, build_runner(job, options, tell), options, options.effort * len(job.prompts))
        return answer, write_answer(job, answer, options.share)


def check_same_search(job: TuneJob) -> None:
    """Refuse a folder with the rows of another model, call, sampler, prompts or seed; another target may share them."""
    path = job.out / SEARCH
    if path.is_file() and json.loads(path.read_text(encoding="utf-8")) != job.facts:
        raise ValueError(f"{job.out} holds a search of another model, call, prompts or seed: give another --out")


def search(job: TuneJob, runner: TrialRunner, options: argparse.Namespace, most_cost: float) -> Answer:
    """The best candidate for the target, and what it was measured with."""
    plain = runner.run_plain()
    facts = plain[0][FACTS]
    task = build_task(job, facts, most_cost, rivals=() if options.no_rivals else RIVALS)
    late = functools.partial(is_late, runner.began, options.minutes)
    searcher = Search(task, runner.board, runner.try_out, late)
    if job.target.speedup is not None:
        best = searcher.find_best(max(LEAST_COMPUTED, round(task.total / job.target.speedup)))
    else:
        best = QualitySearch(searcher, job.target.limit or 0.0).find_fastest()
    known = {
        name: replace(each, knobs=runner.found_knobs.get(name, each.knobs)) for name, each in runner.candidates.items()
    }
    return Answer(known[best.name], task, runner.board, known, facts, tuple(plain))


def build_task(job: TuneJob, facts: dict[str, Any], most_cost: float, rivals: Sequence["Rival"]) -> TuneTask:
    """What the search is given: prompts with even numbers to choose on, the others to confirm on."""
    count = len(job.prompts)
    if facts["noise_levels"] is None:
        raise ValueError(f"{facts['scheduler']} does not tell its noise levels: choose another --sampler")
    total = len(facts["noise_levels"]) - 1

    def build_rivals(budget: int) -> list[Candidate]:
        share = budget / total
        looks = len(SHAPES) * count / 4 + SURVIVORS * count / 4 + count  # of the schedules, and the confirmation
        room, found = most_cost - count - looks * share, list[Candidate]()
        for rival in rivals:
            room -= (RIVAL_LOOKS + count / 4) * share
            found += [rival.build(total, budget)] if room >= 0 else []
        return found

    form = TEXT_FLOW if facts.get("text_flow") else PLAIN  # older folders do not say
    return TuneTask(facts["noise_levels"], range(0, count, 2), range(1, count, 2), build_rivals, form, most_cost)


@dataclass(frozen=True)
class Rival:
    """Another policy, at the speed that is searched for."""

    policy: str
    has_threshold: bool

    def build(self, total: int, budget: int) -> Candidate:
        """The candidate with this number of computed steps."""
        speedup = round(total / budget, 6)
        if self.has_threshold:
            return Candidate(f"{self.policy} {budget}", self.policy, target=speedup)
        return Candidate(f"{self.policy} {budget}", self.policy, {"speedup": speedup}, fitted=True)


# The policies that replace the whole model and were ahead somewhere; they are tried where the compute allows.
RIVALS = (Rival("seacache", True), Rival("navicache", True), Rival("l2p", False))


def build_runner(job: TuneJob, options: argparse.Namespace, tell: TellRow) -> TrialRunner:
    """The runner over the rows that are there already."""
    place, metrics = job.out.absolute(), METRICS[:-1] if explain_missing_lpips() else METRICS
    make: MakeWorker = functools.partial(
        TuningWorker, place, ResultFiles(place, options.videos, TRACES), metrics, probes=RIVAL_LOOKS
    )
    execute: Executor = RayExecutor(options.workers, options.ray_address)
    if options.executor == "local":
        make, execute = functools.lru_cache(make), run_in_process  # one worker for all rounds
    rows = RowFile(job.out / ROWS)
    board = Scoreboard(job.target.metric)
    about = (job.model, job.condition, job.prompts, job.seed)
    return TrialRunner(*about, rows, make, execute, board, options.batch, tell)


def move_bar(bar: Any, runner: TrialRunner, row: Row | None) -> None:
    """Move the bar by what was computed, in runs of every step."""
    if row is not None:
        bar.set_postfix_str(row["setting"], refresh=False)
    bar.n = min(bar.total, round(runner.cost))
    bar.refresh()


def is_late(began: float, minutes: float | None) -> bool:
    """Whether the time is over."""
    return minutes is not None and time.monotonic() - began > 60 * minutes
