"""Thresholds that a benchmark finds for the targets of its settings."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from navicache.cli.bench.calibration import SEED
from navicache.cli.bench.conversion import build_cache_settings, to_baseline_job
from navicache.cli.calibrate.measure import run_prompts
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.names import digest, slug
from navicache.evaluation.bench.targets import MAX_PROBES, search_threshold
from navicache.records import open_atomic_file


def choose_threshold(
    pipe: Any, job: BenchJob, calibration: Path | None, out: Path, probes: int = MAX_PROBES
) -> BenchJob:
    """The job with the threshold of its target; what a search has measured stays in a file.

    The threshold is that of the setting without its sweep, so that a sweep shows what its knobs do at one threshold.
    """
    setting = job.setting
    if setting.target is None:
        return job
    base = {knob: value for knob, value in setting.knobs.items() if knob not in setting.swept}
    facts = {"model": vars(job.model), "condition": vars(replace(job.condition, prompts=None)), "knobs": base}
    facts |= {key: getattr(setting, key) for key in ("mode", "tune", "calibration", "calibrate")}
    name = f"{setting.policy}-{digest(facts)[:8]}.json"
    path = out / "thresholds" / slug(job.model.name) / slug(job.condition.name) / name
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    shares = {float(threshold): share for threshold, share in found.items()}
    path.parent.mkdir(parents=True, exist_ok=True)

    def measure(threshold: float) -> float:
        tried = replace(setting, target=None, knobs={**base, "threshold": threshold})
        share = measure_share(pipe, replace(job, kind="cached", setting=tried), calibration)
        with open_atomic_file(path) as file:
            file.write(json.dumps({**shares, threshold: share}).encode())
        return share

    threshold = search_threshold(measure, shares, setting.target, probes)
    return replace(job, setting=replace(setting, target=None, knobs={**setting.knobs, "threshold": threshold}))


def measure_share(pipe: Any, job: BenchJob, calibration: Path | None) -> float:
    """The share of computed steps over the setting's tuning prompts."""
    call = replace(to_baseline_job(job), prompts=job.setting.tune, seed=SEED)
    with build_cache_settings(job, calibration).enable(pipe) as cache:
        for _ in run_prompts(pipe, call, shown=False):
            pass
        runs = cache.trace.runs
    return sum(run.computed for run in runs) / sum(run.length for run in runs)
