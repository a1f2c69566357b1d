"""The lines of a trace, and how many samples they count for."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from navicache.policies import Decision, Step

LineKey = tuple[int, str, int]  # a step of the record, a stream and a sample
# A decision as it was taken: the step (None for followers, which measure nothing) and the state of the gate. States
# never change, so that what it meant can be worked out when somebody asks.
DecisionLine = tuple[Decision, Step | None, Any]


def expand_shared_lines(lines: Mapping[LineKey, DecisionLine], bounds: Sequence[int]) -> dict[LineKey, DecisionLine]:
    """Return every line; lines from before the batch was split into samples are repeated for each sample.

    Samples are told apart at most once between two steps of `bounds`.

    Example:
        >>> places = [(0, "cond", 0), (1, "cond", 0), (1, "cond", 1)]
        >>> [*expand_shared_lines(dict.fromkeys(places), [0, 2])]
        [(0, 'cond', 0), (0, 'cond', 1), (1, 'cond', 0), (1, 'cond', 1)]
    """
    whole: dict[LineKey, DecisionLine] = {}
    splits = _find_sample_splits(lines, bounds)
    for place, line in lines.items():
        samples = splits.pop(place[0], 1)
        for (step, stream, _), shared in [*whole.items()] if samples > 1 else ():
            for sample in range(1, samples):
                whole.setdefault((step, stream, sample), shared)
        whole[place] = line
    return whole


def _find_sample_splits(lines: Mapping[LineKey, DecisionLine], bounds: Sequence[int]) -> dict[int, int]:
    """The steps from which on samples have lines of their own, each with their number."""
    splits: dict[int, int] = {}
    for start, end in pairwise(bounds):
        places = [(step, sample) for step, _, sample in lines if start <= step < end and sample]
        if places:
            splits[min(places)[0]] = 1 + max(sample for _, sample in places)
    return splits
