"""VBench's 16 dimensions and three totals as text, a column a setting."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from navicache.records.text_table import UNKNOWN_CELL, TextColumn, format_table_lines

MARK = "*"
MARKED = (
    f"{MARK} of fewer videos than VBench asks for: not to be compared with published scores, and no total in the report"
)
UNFILTERED = (
    "note: temporal_flickering is of all videos; VBench publishes it of those that do not move, out of 25 a prompt "
    "(--static-filter)"
)


def score_table(scored: Sequence[Any]) -> list[str]:
    """In percent; a mark where videos were missing, and why a total is."""
    from benchmarks.vbench.scores import DIMENSIONS, QUALITY, SEMANTIC

    parts = {"quality": QUALITY, "semantic": SEMANTIC, "total": DIMENSIONS}

    def cell(each: Any, name: str) -> str:
        value = getattr(each.scores, name) if name in parts else each.scores.dimensions.get(name)
        if value is None:
            return f"{UNKNOWN_CELL} "
        short = set(parts.get(name, (name,))) & set(each.incomplete)
        return f"{100 * value:.2f}{MARK if short else ' '}"

    marked = [MARKED] if any(each.incomplete for each in scored) else []
    return [
        *_tables_by_condition(scored, (*DIMENSIONS, *parts), cell),
        *marked,
        *_explain_missing_totals(scored, parts),
    ]


def _explain_missing_totals(scored: Sequence[Any], parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    reasons: dict[str, list[Any]] = {}
    for each in scored:
        lacking = [name for name in parts["total"] if name not in each.scores.dimensions]
        if totals := [name for name, needed in parts.items() if set(needed) & set(lacking)]:
            reasons.setdefault(f"no {', '.join(totals)}: no score of {', '.join(lacking)}", []).append(each)
    return (f"{join_places(own)}: {reason}" for reason, own in reasons.items())


def join_places(settings: Sequence[Any]) -> str:
    """Settings of which the same is to be said."""
    return "; ".join(" / ".join(each.place) for each in settings)


def video_table(scoring: Any, settings: Sequence[Any], dimensions: Sequence[str]) -> list[str]:
    """How many videos of how many are there, and what is scored already."""
    done = {shown.place: scoring.scores(shown) for shown in settings}

    def cell(shown: Any, name: str) -> str:
        found = f"{len(scoring.videos(shown, name))}/{scoring.wanted(name)}"
        return f"{found} done" if name in done[shown.place] else found

    return list(_tables_by_condition(settings, dimensions, cell))


def _tables_by_condition(
    settings: Sequence[Any], names: Sequence[str], cell: Callable[[Any, str], str]
) -> Iterator[str]:
    """A table for each model under each condition."""
    for model, condition in dict.fromkeys(shown.place[:2] for shown in settings):
        own = [shown for shown in settings if shown.place[:2] == (model, condition)]
        columns = [
            TextColumn(shown.place[2].replace(" ", "\n"), [cell(shown, name) for name in names]) for shown in own
        ]
        yield f"{model}, {condition}"
        yield from format_table_lines([TextColumn("dimension", names, is_left_aligned=True), *columns])
        yield ""
