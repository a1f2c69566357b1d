"""The rows of finished jobs, one JSON line each, on disk before the next job starts."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from navicache.records import open_atomic_file

Row = dict[str, Any]
REFUSED = "refused"  # kind of a row whose policy could not be put on the model, with its reason


class RowFile:
    """The rows of one file, each with a unique key.

    A process may be killed at any moment: a line is whole once its newline is there, so a last line without one was
    torn, and is as if it had never been written.
    """

    def __init__(self, path: Path) -> None:
        """Read the file; nothing is written, since another process may be writing a line."""
        content = path.read_bytes() if path.exists() else b""
        self.path, self._whole = path, content.rfind(b"\n") + 1
        lines = content[: self._whole].splitlines()
        self.rows = [_parse_row(path, number, line) for number, line in enumerate(lines, start=1)]
        self._keys = {row["key"] for row in self.rows}

    def __contains__(self, key: str) -> bool:
        """Whether that job is finished."""
        return key in self._keys

    def add(self, *rows: Row) -> None:
        """Append rows; they are on disk when this returns."""
        keys: set[str] = set()
        for row in rows:
            if row["key"] in self._keys or row["key"] in keys:
                raise ValueError(f"job {row['key']} is finished already: one folder takes one benchmark at a time")
            keys.add(row["key"])
        with self.path.open("ab") as file:
            file.truncate(self._whole)  # a torn last line goes
            self._whole += file.write(_encode_rows(rows))
            file.flush()
            os.fsync(file.fileno())
        self.rows += rows
        self._keys |= keys

    def replace(self, *rows: Row) -> None:
        """Replace the rows with these keys, atomically."""
        new = {row["key"]: row for row in rows}
        self.rows = [new.get(row["key"], row) for row in self.rows]
        content = _encode_rows(self.rows)
        with open_atomic_file(self.path) as file:
            file.write(content)
        self._whole = len(content)


def _encode_rows(rows: Iterable[Row]) -> bytes:
    return b"".join(json.dumps(row, allow_nan=False, ensure_ascii=False).encode() + b"\n" for row in rows)


def _parse_row(path: Path, number: int, line: bytes) -> Row:
    try:
        row = json.loads(line)
        hash(row["key"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f"line {number} of {path} is damaged ({error}): remove that line, its job runs again"
        ) from error
    return row
