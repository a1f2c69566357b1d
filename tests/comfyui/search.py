"""Find the threshold at which another cache computes as many steps."""

import math
from collections.abc import Sequence
from typing import NamedTuple

MOST_TRIES = 12
FACTOR = 1.6
STUCK = 4  # tries that changed nothing


class Tried(NamedTuple):
    """A threshold, and how many evaluations it let through."""

    threshold: float
    evaluations: float


def next_threshold(tried: Sequence[Tried], target: float, start: float, most_tries: int = MOST_TRIES) -> float | None:
    """What to try next; None once the target was met, or where nothing nearer can be expected.

    Example:
        >>> next_threshold([], 10, 0.2), next_threshold([Tried(0.2, 12)], 10, 0.2)
        (0.2, 0.32)
        >>> next_threshold([Tried(0.2, 12), Tried(0.32, 9)], 10, 0.2)
        0.253
        >>> next_threshold([Tried(0.2, 10)], 10, 0.2) is None
        True
        >>> next_threshold([Tried(threshold, 11) for threshold in (0.2, 0.32, 0.512, 0.819)], 10, 0.2) is None
        True
    """
    if not tried:
        return start
    if len(tried) >= most_tries or any(entry.evaluations == target for entry in tried):
        return None
    stuck = tried[-STUCK:]
    if len(stuck) == STUCK and stuck[0].evaluations > target and len({entry.evaluations for entry in stuck}) == 1:
        return None  # it computes these whatever its threshold is
    low = max((entry.threshold for entry in tried if entry.evaluations > target), default=None)
    high = min((entry.threshold for entry in tried if entry.evaluations < target), default=None)
    if low is None or high is None:
        return round(low * FACTOR if low is not None else (high or start) / FACTOR, 3)
    middle = round(math.sqrt(low * high), 3)
    return None if middle in (low, high) else middle


def nearest(tried: Sequence[Tried], target: float) -> Tried:
    """The one whose count is nearest; of two equally near the one that computed more.

    Example:
        >>> nearest([Tried(0.2, 9), Tried(0.1, 11)], 10)
        Tried(threshold=0.1, evaluations=11)
    """
    return min(tried, key=lambda entry: (abs(entry.evaluations - target), -entry.evaluations))
