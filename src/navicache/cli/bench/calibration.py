"""Calibrations that a benchmark measures: on the model and under the condition of the rows that need one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from navicache.cli.bench.conversion import to_baseline_job
from navicache.cli.calibrate.measure import DEFAULT_SIGNAL, calibrate
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.names import digest, slug

SEED = 1000  # of the first prompt's noise: none that is measured with has it


def measure_calibration(pipe: Any, job: BenchJob, out: Path) -> Path | None:
    """Return the file of this job's calibration, measured if it is missing; None if the setting has no `calibrate`."""
    if not job.setting.calibrate:
        return None
    path = out / "calibration" / slug(job.model.name) / slug(job.condition.name) / f"{_calibration_name(job)}.json"
    if not path.is_file():
        call = replace(to_baseline_job(job), prompts=job.setting.calibrate, seed=SEED)
        path.parent.mkdir(parents=True, exist_ok=True)
        calibrate(job.setting.policy, DEFAULT_SIGNAL, pipe, call, shown=False)[0].save(path)
    return path


def _calibration_name(job: BenchJob) -> str:
    """A file name that changes with everything the calibration depends on."""
    facts = {"model": vars(job.model), "condition": vars(job.condition), "prompts": job.setting.calibrate}
    return f"{job.setting.policy}-{digest(facts)[:8]}"
