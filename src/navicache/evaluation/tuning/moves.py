"""Moves of a list of computed steps: one compute goes from one part of the run to another."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations

PARTS = ("start", "middle", "end")


def list_moves(steps: Sequence[int], total: int) -> dict[str, tuple[int, ...]]:
    """The lists that differ by one compute: it leaves the densest place of one part for the longest gap of another.

    The parts have equal numbers of computed steps. The first step and the last are never moved.

    Example:
        >>> list_moves([0, 1, 2, 6, 10, 11], 12)["start to middle"]
        (0, 2, 6, 8, 10, 11)
    """
    found: dict[str, tuple[int, ...]] = {}
    for source, target in permutations(range(len(PARTS)), 2):
        moved = _move_compute(tuple(steps), total, source, target)
        if moved is not None and moved != tuple(steps) and moved not in found.values():
            found[f"{PARTS[source]} to {PARTS[target]}"] = moved
    return found


def _move_compute(steps: tuple[int, ...], total: int, source: int, target: int) -> tuple[int, ...] | None:
    leaving = min(_list_inner(steps, source), key=lambda place: steps[place + 1] - steps[place - 1], default=None)
    if leaving is None:
        return None
    rest = steps[:leaving] + steps[leaving + 1 :]
    gaps = [(high - low, (low + high) // 2) for low, high in _list_gaps(rest, total, target) if high - low > 1]
    if not gaps:
        return None
    longest = max(gap for gap, _ in gaps)
    added = next(middle for gap, middle in gaps if gap == longest)
    return tuple(sorted((*rest, added)))


def _list_inner(steps: Sequence[int], part: int) -> range:
    """The places of a part, without those of the first and the last step."""
    size = len(steps) / len(PARTS)
    return range(max(1, round(part * size)), min(len(steps) - 1, round((part + 1) * size)))


def _list_gaps(steps: Sequence[int], total: int, part: int) -> Iterator[tuple[int, int]]:
    ends = [*steps, total]
    size = len(steps) / len(PARTS)
    pairs = list(pairwise(ends))
    yield from pairs[round(part * size) : round((part + 1) * size)]
