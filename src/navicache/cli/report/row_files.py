"""Check the rows of a benchmark's folder before a page is made of them: somebody else may have written them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.evaluation.bench.session import ROWS

# What the tables need of each row; a page asks for PAGE_FIELDS as well.
FIELDS = ("group", "kind", "model", "condition", "setting", "policy", "steps", "quality")
REFUSED_FIELDS = ("group", "kind", "model", "setting", "reason")
PAGE_FIELDS = ("prompt", "seed", "series", "swept", "video", "knobs", "machine", "seconds", "harness_seconds")
NESTED_FIELDS = {"steps": ("total", "computed"), "machine": ("name", "device", "threads")}
FILES = ("video", "trace")
ADVICE = "remove its line: `navicache bench` runs it again"


def check_row(row: Row, folder: Path) -> Row:
    """The row with None for files that are gone; ValueError for one that is not whole, or names a file elsewhere."""
    fields = REFUSED_FIELDS if row.get("kind") == REFUSED else FIELDS
    check_fields(row, fields, folder / ROWS)
    files = {name: row[name] for name in FILES if row.get(name) is not None}
    gone = [name for name, file in files.items() if not locate_file(row["key"], file, folder).is_file()]
    return {**row, **dict.fromkeys(gone)}


def check_fields(row: Mapping[str, Any], fields: tuple[str, ...], where: Path | str) -> None:
    """Raise ValueError if a row lacks one of the fields, or what belongs into it.

    Example:
        >>> check_fields({"key": "k", "steps": {"total": 9}}, ("steps", "model"), "rows.jsonl")
        Traceback (most recent call last):
        ValueError: rows.jsonl: row k lacks model, steps.computed: remove its line: `navicache bench` runs it again
    """
    lacks = [name for name in fields if name not in row]
    for name in fields:
        if name in row and name in NESTED_FIELDS:
            inner = row[name] if type(row[name]) is dict else {}
            lacks += [f"{name}.{part}" for part in NESTED_FIELDS[name] if part not in inner]
    if lacks:
        raise ValueError(f"{where}: row {row['key']} lacks {', '.join(lacks)}: {ADVICE}")


def locate_file(key: str, file: object, folder: Path) -> Path:
    """Where a row's file is; ValueError if that is outside of the folder, links followed."""
    path = (folder / str(file)).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"{folder / ROWS}: row {key} names {file}, which is outside of the folder: {ADVICE}")
    return path
