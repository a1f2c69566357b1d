"""The worker of a search: the benchmark's, which also tells what run it was."""

from dataclasses import dataclass
from typing import Any

from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import JobBatch
from navicache.evaluation.bench.rows import Row
from navicache.integrations.diffusers import find_denoisers, get_model_config
from navicache.integrations.rank_groups import get_class_name
from navicache.integrations.scheduler import read_noise_levels
from navicache.integrations.tuned_runs import describe_sampling
from navicache.models import strip_config

FACTS = "tuned_run"  # of a row without a cache


@dataclass
class TuningWorker(PipelineWorker):
    """Adds the facts of the run to rows without a cache."""

    def __call__(self, batch: JobBatch) -> list[Row]:
        """Run the jobs and return their rows."""
        rows = super().__call__(batch)
        if batch[0].kind != "baseline":
            return rows
        facts = describe_run(self._pipe)
        return [{**row, FACTS: facts} for row in rows]


def describe_run(pipe: Any) -> dict[str, Any]:
    """Model, scheduler and noise levels of the pipeline's newest run."""
    model = next(iter(find_denoisers(pipe).values()))
    levels, sampling = read_noise_levels(pipe.scheduler), describe_sampling(pipe)
    return {
        "model": get_class_name(model),
        "config": strip_config(get_model_config(model)),
        "scheduler": sampling.scheduler,
        "noise_levels": None if levels is None else [round(level, 5) for level in levels],
        "guidance": sampling.guidance,
    }
