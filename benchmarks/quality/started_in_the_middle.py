"""Run a plan whose runs start in the middle: image to image and video to video, from what another caption gave.

    python -m benchmarks.quality.lists plans/pocket/started.toml --out build/started/plan.toml
    python -m benchmarks.quality.started_in_the_middle build/started/plan.toml --prompts 8 --out RESULTS/started
    python -m benchmarks.quality.regret RESULTS/started RESULTS/wan*

`strength` in a condition's call says which part of the steps is run. A plan cannot name a pipeline, or give each
caption an input; this makes both, and then does what `shared_calls` does. Steps are those that are run: half of 50
steps at 0.6 is 15. The rows are settings like any others.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.quality.shared_calls import SharedCallWorker, choose_folder, parse_arguments, run_groups
from benchmarks.quality.started_pipelines import pair_prompts, start_pipeline
from navicache.cli.bench.run import parse_options
from navicache.evaluation.bench.jobs import BenchJob, JobBatch, JobGroup, iterate_jobs
from navicache.evaluation.bench.plan import NO_CACHE
from navicache.evaluation.bench.rows import Row
from navicache.generation.timed_calls import TimedOutput
from navicache.records import Trace


@dataclass
class StartedWorker(SharedCallWorker):
    """Runs the jobs of a plan from the middle on."""

    prompts: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])  # by the name of the model

    def _load(self, job: BenchJob) -> Any:
        return start_pipeline(super()._load(job), pair_prompts(self.prompts[job.model.name]), job.model.call)

    def _finish(self, batch: JobBatch, made: Sequence[TimedOutput], traces: Sequence[Trace], shared: Row) -> list[Row]:
        rows = super()._finish(batch, made, traces, shared)
        if batch[0].setting.policy != NO_CACHE:
            return rows
        steps = {"total": self._pipe.num_timesteps, "computed": self._pipe.num_timesteps, "partial": 0}
        return [{**row, "steps": steps} for row in rows]


def collect_prompts(groups: Sequence[JobGroup]) -> dict[str, list[str]]:
    """The captions of every model, each once."""
    found: dict[str, dict[str, None]] = {}
    for job in iterate_jobs(groups):
        found.setdefault(job.model.name, {})[job.prompt] = None
    return {model: list(prompts) for model, prompts in found.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the unfinished jobs of the plan."""
    options = parse_arguments(arguments, __doc__)
    plan, groups, wrong = parse_options(options)
    if wrong:
        raise ValueError("; ".join(wrong))
    worker = functools.partial(StartedWorker, prompts=collect_prompts(groups))
    return run_groups(plan, groups, choose_folder(options, plan), options, worker)


if __name__ == "__main__":
    raise SystemExit(main())
