"""Check the rows of a benchmark's folder before a page is made of them: somebody else may have written them."""

from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any

from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.evaluation.bench.session import ROWS

# What the tables need of each row; a page asks for PAGE_FIELDS as well.
FIELDS = ("group", "kind", "model", "condition", "setting", "policy", "steps", "quality")
REFUSED_FIELDS = ("group", "kind", "model", "setting", "reason")
PAGE_FIELDS = ("prompt", "seed", "series", "swept", "video", "knobs", "machine", "seconds", "harness_seconds")
NESTED_FIELDS = {"steps": ("total", "computed"), "machine": ("name", "device", "threads"), "seconds": ("call", "loop")}
TEXTS = ("key", "group", "kind", "model", "condition", "setting", "policy", "reason", "prompt")
OBJECTS = ("steps", "machine", "knobs", "swept", "versions", "quality", "seconds", "plain_seconds")
NUMBERS = ("harness_seconds", "peak_memory", "batch", "seed")
MEASURED = ("steps", "seconds", "plain_seconds", "quality")  # objects of numbers
MAY_BE_NULL = MEASURED[1:]  # beside numbers: of a call that several settings share, and of a baseline
NEVER_ZERO = ("steps.total", "steps.computed", "seconds.call")
MOST_NUMBER = 1e19  # above every seed
FILES = ("video", "trace")
ADVICE = "remove its line: `navicache bench` runs it again"


def check_row(row: Row, folder: Path) -> Row:
    """The row with None for files that are gone; ValueError for one that is not whole, or names a file elsewhere."""
    fields = REFUSED_FIELDS if row.get("kind") == REFUSED else FIELDS
    if wrong := _list_wrong_values(row):
        raise ValueError(f"{folder / ROWS}: row {row['key']} has no sensible {', '.join(wrong)}: {ADVICE}")
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
        if name in NESTED_FIELDS and row.get(name) is not None:
            lacks += [f"{name}.{part}" for part in NESTED_FIELDS[name] if part not in row[name]]
    if lacks:
        raise ValueError(f"{where}: row {row['key']} lacks {', '.join(lacks)}: {ADVICE}")


def _list_wrong_values(row: Row) -> list[str]:
    """The fields that hold another kind of value than `navicache bench` writes."""
    wrong = [name for name in TEXTS if name in row and type(row[name]) is not str]
    wrong += [name for name in OBJECTS if type(row.get(name, {})) is not dict]
    wrong = [name for name in wrong if row[name] is not None or name not in MAY_BE_NULL]
    wrong += [] if type(row.get("series")) in (str, NoneType) else ["series"]
    numbers: dict[str, Any] = {name: row.get(name) for name in NUMBERS}
    for name in set(MEASURED).difference(wrong):
        numbers |= {f"{name}.{part}": value for part, value in (row.get(name) or {}).items()}
    return [*wrong, *(name for name, value in numbers.items() if not _is_number_or_none(name, value))]


def _is_number_or_none(name: str, value: Any) -> bool:
    if value is None or name.endswith("_missing"):  # why there is no number
        return True
    if name in NEVER_ZERO and not value:
        return False
    return type(value) in (int, float) and abs(value) < MOST_NUMBER


def locate_file(key: str, file: object, folder: Path) -> Path:
    """Where a row's file is; ValueError if that is outside of the folder, links followed."""
    path = (folder / str(file)).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"{folder / ROWS}: row {key} names {file}, which is outside of the folder: {ADVICE}")
    return path
