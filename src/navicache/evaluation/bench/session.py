"""One benchmark in one folder: run what is not finished, and nothing twice."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from navicache.evaluation.bench.executors import Executor, MakeWorker
from navicache.evaluation.bench.jobs import JobBatch, JobGroup
from navicache.evaluation.bench.rows import Row, RowFile

ROWS, PLAN_COPY = "rows.jsonl", "plan.toml"
ProgressCallback = Callable[[int, int, Row | None], None]  # jobs finished, jobs in all, the newest row


def run_missing_jobs(
    out: Path,
    groups: Sequence[JobGroup],
    make_worker: MakeWorker,
    execute: Executor,
    tell: ProgressCallback = lambda *_: None,
) -> RowFile:
    """Run every batch that lacks a row, in any order; `tell` is called after each.

    A batch whose rows were cut short is done again as a whole, so that all its rows are of the same call; those that
    are there stay.
    """
    out.mkdir(parents=True, exist_ok=True)
    with lock_folder(out):
        rows = RowFile(out / ROWS)
        _remove_leftovers(out, groups, rows)
        wanted = {job.key: group for group in groups for batch in group for job in batch}
        finished = sum(key in rows for key in wanted)
        tell(finished, len(wanted), None)
        missing = [tuple(batch for batch in group if not _is_finished(batch, rows)) for group in groups]
        for made in execute([group for group in missing if group], make_worker):
            new = [row for row in made if row["key"] not in rows]
            rows.add(*new)
            _drop_baseline_frames(out, wanted[made[0]["key"]], rows)
            finished += len(new)
            tell(finished, len(wanted), made[-1])
    return rows


def _is_finished(batch: JobBatch, rows: RowFile) -> bool:
    return all(job.key in rows for job in batch)


def _remove_leftovers(out: Path, groups: Sequence[JobGroup], rows: RowFile) -> None:
    """Remove temporary files and frames that a killed process left."""
    for draft in out.rglob(".*.tmp"):
        draft.unlink()
    for group in groups:
        _drop_baseline_frames(out, group, rows)


def _drop_baseline_frames(out: Path, group: JobGroup, rows: RowFile) -> None:
    if all(_is_finished(batch, rows) for batch in reversed(group)):  # the last is the most likely not to be
        for job in group[0]:
            if not (out / job.frames).parent.exists():  # they are compared with it later
                (out / job.reference).unlink(missing_ok=True)
                (out / job.reference_sound).unlink(missing_ok=True)


@contextmanager
def lock_folder(out: Path, instead: str = ", or give another --out") -> Generator[None, None, None]:
    """Refuse a second benchmark in the same folder; the lock ends with the process."""
    with (out / ".lock").open("w") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ValueError(f"another benchmark writes to {out}: wait for it{instead}") from error
        yield
