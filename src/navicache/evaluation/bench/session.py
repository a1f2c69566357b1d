"""One benchmark in one folder: what is finished stays, what is missing is done, nothing is done twice."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from navicache.evaluation.bench.executors import Executor, MakeWorker
from navicache.evaluation.bench.jobs import Group
from navicache.evaluation.bench.rows import Row, RowFile

ROWS = "rows.jsonl"
Tell = Callable[[int, int, Row | None], None]  # jobs finished, jobs in all, the newest row


def measure(
    out: Path, groups: Sequence[Group], make_worker: MakeWorker, execute: Executor, tell: Tell = lambda *_: None
) -> RowFile:
    """Do every job whose row is not there yet, in any order the executor likes; `tell` hears of each."""
    out.mkdir(parents=True, exist_ok=True)
    with only_one(out):
        rows = RowFile(out / ROWS)
        _tidy(out, groups, rows)
        wanted = {job.key: group for group in groups for job in group}
        missing = [tuple(job for job in group if job.key not in rows) for group in groups]
        tell(len(wanted) - sum(map(len, missing)), len(wanted), None)
        for row in execute([group for group in missing if group], make_worker):
            rows.add(row)
            _drop_reference(out, wanted[row["key"]], rows)
            tell(sum(key in rows for key in wanted), len(wanted), row)
    return rows


def _tidy(out: Path, groups: Sequence[Group], rows: RowFile) -> None:
    """Remove what a killed process left: drafts of files, and references that nobody needs any more."""
    for draft in out.rglob(".*.tmp"):
        draft.unlink()
    for group in groups:
        _drop_reference(out, group, rows)


def _drop_reference(out: Path, group: Group, rows: RowFile) -> None:
    if all(job.key in rows for job in group):
        (out / group[0].reference).unlink(missing_ok=True)


@contextmanager
def only_one(out: Path) -> Generator[None, None, None]:
    """Refuse a second benchmark in the same folder; the lock ends with the process, however that ends."""
    with (out / ".lock").open("w") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ValueError(f"another benchmark writes to {out}: wait for it, or give another --out") from error
        yield
