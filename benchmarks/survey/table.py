"""The tables of docs/compatibility.md, from the rows of the survey: `make tables` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROWS = Path(__file__).with_name("rows.json")
HEAD = ("class", "cached", "calls", "outputs", "computed", "exact", "blocks", "remarks")
REASONS = {  # of a refusal, as they fit a cell
    "cannot find the transformer blocks": "no list of blocks",
    "the blocks lay their tokens out anew": "tokens are rearranged between blocks",
    "something is added between the blocks": "control signals are added between blocks",
    "blocks return 1 more tensors": "blocks also return sound",
}
BUILDING = "no tiny build yet"


def read_rows() -> dict[str, Any]:
    """The rows of the last survey, by class."""
    return json.loads(ROWS.read_text(encoding="utf-8"))["rows"]


def list_run() -> list[dict[str, Any]]:
    """The rows of the classes that were run."""
    return [row for row in read_rows().values() if not row["problem"]]


def pipeline_table() -> str:
    """Every class that was run."""
    return format_table(HEAD, [format_row(row) for row in list_run()])


def unreached_table() -> str:
    """Every class that was not, and why."""
    rows = [row for row in read_rows().values() if row["problem"]]
    return format_table(("class", "why"), [(f"`{row['name']}`", clean(row["problem"])) for row in rows])


def count_line() -> str:
    """How many of each kind there are, and the versions."""
    rows = read_rows().values()
    versions = json.loads(ROWS.read_text(encoding="utf-8"))["versions"]
    run = list_run()
    works = [row for row in run if not row["places"]["call"] and is_exact(row) and row["computed"] < row["steps"]]
    blocks = [row for row in works if not row["places"]["blocks"]]
    return (
        f"{len(rows)} classes of diffusers {versions['diffusers']} (torch {versions['torch']}, CPU): {len(run)} were "
        f"run, {len(works)} of these work with the whole call, {len(blocks)} of them with the block stack as well; "
        f"{len(rows) - len(run)} were not reached."
    )


def format_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The cells of one class."""
    used = {name: part for name, part in row["cached"].items() if part["calls"]}
    blocks = row["places"]["blocks"] or row["places"]["after first"]
    return (
        f"`{row['name']}`",
        ", ".join(f"`{name}`" for name in used),
        ", ".join(str(part["calls"]) for part in used.values()),
        ", ".join(str(part["outputs"]) for part in used.values()),
        f"{row['computed']} of {row['steps']}" + (f" in {row['runs']} runs" if row["runs"] > len(used) else ""),
        "yes" if is_exact(row) else "no",
        f"no: {shorten(blocks)}" if blocks else "yes",
        "; ".join(list_remarks(row)),
    )


def is_exact(row: Mapping[str, Any]) -> bool:
    """Whether a second cached generation, and one after `disable`, are bit-equal to the first of their kind."""
    return bool(row["equal_again"] and row["equal_after"])


def list_remarks(row: Mapping[str, Any]) -> Iterable[str]:
    """What else there is to say."""
    if row["places"]["call"]:
        reason = shorten(row["places"]["call"])
        yield reason.replace("fails", "**fails**", 1) if reason.startswith("fails") else f"**refused**: {reason}"
    idle = [name for name, part in row["cached"].items() if not part["calls"]]
    if idle:
        yield f"not called here: {', '.join(f'`{name}`' for name in idle)}"
    for name, part in row["uncached"].items():
        yield f"`{name}` ({part['kind']}) is called {part['calls']} times and not cached"
    yield from map(clean, row["notes"])
    if row.get("note"):
        yield row["note"]


def shorten(reason: str) -> str:
    """A reason as it fits a cell."""
    return clean(next((short for start, short in REASONS.items() if reason.startswith(start)), reason))


def clean(text: str) -> str:
    """A text that does not end a cell."""
    return " ".join(text.replace("|", "/").replace("<", "&lt;").replace(">", "&gt;").split())


def format_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    names = list(head)
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
