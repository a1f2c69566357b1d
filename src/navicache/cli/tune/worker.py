"""The worker of a search: the benchmark's, which also tells what run it was."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from navicache.cli.bench.calibration import measure_calibration
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import BenchJob, JobBatch
from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.integrations.denoiser_search import find_denoisers
from navicache.integrations.diffusers import get_model_config
from navicache.integrations.rank_groups import get_class_name
from navicache.integrations.scheduler import read_is_flow, read_noise_levels
from navicache.integrations.tuned_runs import describe_sampling
from navicache.models import read_calibration, strip_config

FACTS = "tuned_run"  # of a row without a cache
TEXT_ENCODER = "text_encoder"  # how components that read text are called
KNOBS = "found_knobs"  # of a row whose threshold was found, or whose policy was fitted: what `enable` needs


@dataclass
class TuningWorker(PipelineWorker):
    """Adds the facts of the run to rows without a cache, and knobs that were found to the others."""

    def __call__(self, batch: JobBatch) -> list[Row]:
        """Run the jobs and return their rows."""
        rows, job = super().__call__(batch), batch[0]
        if job.kind == "baseline":
            facts = describe_run(self._pipe)
            return [{**row, FACTS: facts} for row in rows]
        if job.setting.target is None and not job.setting.calibrate:
            return rows
        fitted = measure_calibration(self._pipe, job, self.out)  # measured already: this finds its file
        known = {} if fitted is None else dict(read_calibration(fitted).knobs)
        return [row if row["kind"] == REFUSED else {**row, KNOBS: find_knobs(job, known, row)} for row in rows]


def find_knobs(job: BenchJob, fitted: Mapping[str, Any], row: Row) -> dict[str, Any]:
    """The knobs of a setting, those it was fitted with, and its threshold."""
    threshold = {} if job.setting.target is None else {"threshold": row["knobs"]["threshold"]}
    return {**fitted, **job.setting.knobs, **threshold}


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
        "text_flow": any(TEXT_ENCODER in name for name in pipe.components) and bool(read_is_flow(pipe.scheduler)),
    }
