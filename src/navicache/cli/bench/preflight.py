"""Check everything a benchmark needs before the first job, and report all problems at once.

The checks load no weights and write nothing; what they find is plain lines, and `bench` shows them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from navicache.cli.bench.disk_space import check_free_space, estimate_bytes, format_bytes
from navicache.cli.bench.gpu_hours import format_hours
from navicache.cli.bench.model_check import check_model
from navicache.evaluation.bench.jobs import BenchJob, JobGroup, iterate_jobs
from navicache.evaluation.bench.plan import BenchPlan, PlanModel
from navicache.evaluation.bench.rows import RowFile
from navicache.evaluation.bench.session import ROWS
from navicache.evaluation.lpips_weights import WeightsError, load
from navicache.generation.checks import check_metrics, check_output

FRAMES_ARE_KEPT = "frames of every video are kept, to the bit"


@dataclass(frozen=True)
class PreflightReport:
    """What the checks found."""

    problems: tuple[str, ...] = ()  # nothing runs until these are fixed
    notes: tuple[str, ...] = ()  # worth knowing; the benchmark runs anyway
    size: str = ""  # of all files it will write, about
    hours: tuple[str, ...] = ()  # of the GPU, line by line


def preflight(
    plan: BenchPlan, groups: Sequence[JobGroup], out: Path, models: bool = True, seconds: float | None = None
) -> PreflightReport:
    """Check what the unfinished jobs need; `models=False` skips models elsewhere, `seconds` is what a step takes."""
    wrong = _collect_errors(lambda: check_output(out), _check_packages, lambda: RowFile(out / ROWS))
    jobs = list(iterate_jobs(groups)) if wrong else list_unfinished_jobs(groups, out)
    checks = [check_model(model, own) for model, own in _group_by_model(jobs).items()] if models else []
    waits = explain_missing_lpips() if jobs and "lpips" in plan.metrics else ""
    pipelines = {check.model.name: check.pipeline for check in checks}
    size = estimate_bytes(jobs, plan, pipelines, keeps_frames=bool(waits))
    advice = f"get the weights of LPIPS first ({FRAMES_ARE_KEPT})" if waits else "keep fewer with `videos` in the plan"
    full = _collect_errors(lambda: check_free_space(out, size, advice))
    told = [f"model {check.model.name!r}: {line}" for check in checks for line in check.problems]
    notes = [f"model {check.model.name!r}: {line}" for check in checks for line in check.notes]
    first = [explain_kept_frames(waits, out)] if waits else []
    policies = {(check.model.name, setting): policy for check in checks for setting, policy in check.policies.items()}
    hours = format_hours(jobs, policies, seconds, beside=plan.clock == "beside")
    return PreflightReport(_unique([*wrong, *told, *full]), _unique([*first, *notes]), format_bytes(size), hours)


def list_unfinished_jobs(groups: Sequence[JobGroup], out: Path) -> list[BenchJob]:
    """The jobs that have no row yet."""
    rows = RowFile(out / ROWS)
    return [job for job in iterate_jobs(groups) if job.key not in rows]


def explain_missing_lpips() -> str:
    """Why LPIPS is not available on this machine; empty if it is."""
    try:
        load()
    except WeightsError as error:
        return str(error)
    return ""


def explain_kept_frames(reason: str, out: Path) -> str:
    """What a missing LPIPS means, and how to score the videos later."""
    return (
        f"LPIPS is missing: {reason}. {FRAMES_ARE_KEPT.capitalize()}, in {out / 'frames'}: run the same command again "
        "with the weights there, and the scores are completed and the frames removed. Without LPIPS: metrics = [...] "
        "in the plan"
    )


def _check_packages() -> None:
    try:
        check_metrics()
    except ImportError as error:
        raise ValueError(f'{error}: run `pip install ".[eval]"` in a clone of navicache') from error


def _group_by_model(jobs: Iterable[BenchJob]) -> dict[PlanModel, list[BenchJob]]:
    found: dict[PlanModel, list[BenchJob]] = {}
    for job in jobs:
        found.setdefault(job.model, []).append(job)
    return found


def _collect_errors(*checks: Callable[[], object]) -> list[str]:
    found: list[str] = []
    for check in checks:
        try:
            check()
        except ValueError as error:
            found.append(str(error))
    return found


def _unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
