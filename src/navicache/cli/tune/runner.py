"""Runs the trials of a search and keeps their rows, so that a search that was killed goes on where it was."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.cli.tune.worker import KNOBS
from navicache.evaluation.bench.executors import Executor, MakeWorker
from navicache.evaluation.bench.jobs import BASELINE_SETTING, BenchJob, JobBatch
from navicache.evaluation.bench.plan import PlanCondition, PlanModel, PlanSetting
from navicache.evaluation.bench.rows import REFUSED, Row, RowFile
from navicache.evaluation.tuning.scores import Candidate, RunScore, Scoreboard
from navicache.evaluation.tuning.search import Trial

METRICS = ("psnr", "ssim", "lpips")
FITTING_PROMPTS = 2  # that a policy is fitted to
THRESHOLD_PROMPTS = 1  # that its threshold is found with


@dataclass
class TrialRunner:
    """Runs a candidate on a prompt once, and reads the score into the board.

    The board has what this search has asked for, and no other row of the folder: so a search that was interrupted may
    still pay what it could have paid, whatever another target has cost before.
    """

    model: PlanModel
    condition: PlanCondition
    prompts: Sequence[str]
    seed: int
    rows: RowFile
    make_worker: MakeWorker
    execute: Executor
    board: Scoreboard
    batch: int = 1  # prompts in one call
    tell: "TellRow" = lambda *_: None
    candidates: dict[str, Candidate] = field(default_factory=dict[str, Candidate])
    found_knobs: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])  # by candidate
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Read which candidates were refused."""
        for row in self.rows.rows:
            if row["kind"] == REFUSED:
                self._take(row)
        self.tell(self, None)

    @property
    def cost(self) -> float:
        """Of everything, in runs of every step."""
        return self.board.cost + sum(row["kind"] == "baseline" for row in self.rows.rows)

    def run_plain(self) -> list[Row]:
        """Run every prompt without a cache; returns the rows."""
        self._run([(None, range(len(self.prompts)))])
        return [row for row in self.rows.rows if row["kind"] == "baseline"]

    def try_out(self, trials: Sequence[Trial]) -> None:
        """Run what has not been run; a candidate that was refused is not tried again."""
        self.candidates |= {candidate.name: candidate for candidate, _ in trials}
        self._run([(each, prompts) for each, prompts in trials if each.name not in self.board.refused])

    def _run(self, trials: Sequence[tuple[Candidate | None, Sequence[int]]]) -> None:
        groups: dict[tuple[int, ...], list[JobBatch]] = {}  # by prompts: a group stays with one worker
        known = {row["key"]: row for row in self.rows.rows}
        queued: set[str] = set()
        for candidate, prompts in trials:
            wanted = {job.key: job for job in (self.build_job(candidate, prompt) for prompt in prompts)}
            for key in wanted.keys() & known.keys():
                self._take(known[key])
            missing = [job for key, job in wanted.items() if key not in known and key not in queued]
            queued |= wanted.keys()
            for start in range(0, len(missing), self.batch):
                jobs = tuple(missing[start : start + self.batch])
                groups.setdefault(tuple(job.prompt_index for job in jobs), []).append(jobs)
        for made in self.execute([tuple(group) for _, group in sorted(groups.items())], self.make_worker):
            self.rows.add(*made)
            for row in made:
                self._take(row)
                self.tell(self, row)

    def build_job(self, candidate: Candidate | None, prompt: int) -> BenchJob:
        """One run; None is that without a cache."""
        setting = BASELINE_SETTING if candidate is None else self._build_setting(candidate)
        kind = "baseline" if candidate is None else "cached"
        return BenchJob(kind, self.model, self.condition, setting, self.prompts[prompt], prompt, self.seed, 0)

    def _build_setting(self, candidate: Candidate) -> PlanSetting:
        search = tuple(self.prompts[::2])
        own: dict[str, Any] = {"calibrate": search[:FITTING_PROMPTS]} if candidate.fitted else {}
        if candidate.target is not None:
            own |= {"target": candidate.target, "tune": search[:THRESHOLD_PROMPTS]}
        return PlanSetting(candidate.name, candidate.policy, knobs=dict(candidate.knobs), **own)

    def _take(self, row: Row) -> None:
        name = row["setting"]
        if row["kind"] == REFUSED:
            self.board.refuse(name, row["reason"])
        elif row["kind"] == "cached":
            steps, quality = row["steps"], row["quality"]
            if KNOBS in row:
                self.found_knobs[name] = row[KNOBS]
            scores = {metric: quality[metric] for metric in METRICS if quality.get(metric) is not None}
            self.board.add_run(name, row["prompt_index"], RunScore(scores, steps["computed"], steps["total"]))


TellRow = Callable[[TrialRunner, Row | None], None]  # at the start, and after each run with its row
