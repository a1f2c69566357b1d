"""Everything a benchmark needs, looked at before the first job: all that is wrong is found at once.

The checks load no weights and write nothing; what they find is plain lines, and `bench` shows them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from navicache.cli.bench.disk import amount, check_space, needed
from navicache.cli.bench.models import Look
from navicache.evaluation.bench.jobs import Group, Job, jobs_of
from navicache.evaluation.bench.plan import Model, Plan
from navicache.evaluation.bench.rows import RowFile
from navicache.evaluation.bench.session import ROWS
from navicache.evaluation.lpips_weights import WeightsError, load
from navicache.generation.checks import check_metrics, check_output

KEEPS_ALL = "frames of every video are kept, to the bit"


@dataclass(frozen=True)
class Found:
    """Lines about what was looked at."""

    wrong: tuple[str, ...] = ()  # nothing runs until these are mended
    notes: tuple[str, ...] = ()  # what to know beforehand; the benchmark runs all the same
    amount: str = ""  # that will be written, about


def preflight(plan: Plan, groups: Sequence[Group], out: Path, models: bool = True) -> Found:
    """Look at what the missing jobs of these groups need; not at the models, where other machines have them."""
    wrong = _complaints(lambda: check_output(out), _check_packages, lambda: RowFile(out / ROWS))
    jobs = list(jobs_of(groups)) if wrong else missing(groups, out)
    looks = [Look(model).at(own) for model, own in _by_model(jobs).items()] if models else []
    waits = lpips_missing() if jobs and "lpips" in plan.metrics else ""
    pipelines = {look.model.name: look.pipeline for look in looks}
    size = needed(jobs, plan, pipelines, keeps_frames=bool(waits))
    advice = f"get the weights of LPIPS first ({KEEPS_ALL})" if waits else "keep fewer with `videos` in the plan"
    full = _complaints(lambda: check_space(out, size, advice))
    told = [f"model {look.model.name!r}: {line}" for look in looks for line in look.wrong]
    notes = [f"model {look.model.name!r}: {line}" for look in looks for line in look.notes]
    first = [waiting(waits, out)] if waits else []
    return Found(_once([*wrong, *told, *full]), _once([*first, *notes]), amount(size))


def missing(groups: Sequence[Group], out: Path) -> list[Job]:
    """The jobs that have no row yet."""
    rows = RowFile(out / ROWS)
    return [job for job in jobs_of(groups) if job.key not in rows]


def lpips_missing() -> str:
    """Why LPIPS cannot be had on this machine; empty where it can."""
    try:
        load()
    except WeightsError as error:
        return str(error)
    return ""


def waiting(reason: str, out: Path) -> str:
    """What a missing LPIPS means, and how it is scored later."""
    return (
        f"LPIPS is missing: {reason}. {KEEPS_ALL.capitalize()}, in {out / 'frames'}: run the same command again with "
        "the weights there, and the scores are completed and the frames removed. Without LPIPS: metrics = [...] in "
        "the plan"
    )


def _check_packages() -> None:
    try:
        check_metrics()
    except ImportError as error:
        raise ValueError(f"{error}: pip install 'navicache[eval]' brings it") from error


def _by_model(jobs: Iterable[Job]) -> dict[Model, list[Job]]:
    found: dict[Model, list[Job]] = {}
    for job in jobs:
        found.setdefault(job.model, []).append(job)
    return found


def _complaints(*checks: Callable[[], object]) -> list[str]:
    found: list[str] = []
    for check in checks:
        try:
            check()
        except ValueError as error:
            found.append(str(error))
    return found


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
