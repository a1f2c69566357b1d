"""The curves of the quality benchmark as data, and which setting of a curve to measure next."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from navicache.policies import Policy, build_policy

FACTOR = 2.0  # between settings while the range is not covered yet
SMALLEST, LARGEST = 1e-5, 1e3
SAME = 0.25  # computed steps: a larger threshold that changes no more than this has no effect left
CLOSEST = 1.02  # ratio of two settings between which another one is not worth a run


@dataclass(frozen=True)
class Curve:
    """A policy of which only the threshold varies along the curve."""

    group: str  # the policy, under which curves compete as one: best of them at each point
    knobs: Mapping[str, Any] = field(default_factory=dict)
    first: float = 0.05  # threshold the search begins with

    def policy(self, threshold: float) -> Policy:
        """The policy at one point of the curve."""
        return build_policy(self.group, threshold=threshold, **self.knobs)


CURVES: dict[str, Curve] = {
    "navicache-5": Curve("navicache", {"align_steps": 5}),
    "navicache-10": Curve("navicache", {"align_steps": 10}),
    "easycache-5": Curve("easycache", {"align_steps": 5}),
    "easycache-10": Curve("easycache", {"align_steps": 10}),
    "inertial": Curve("inertial"),
    "inertial-0": Curve("inertial", {"amends": 0.0}),
    "inertial-5": Curve("inertial", {"align_steps": 5}),
}


class Point(NamedTuple):
    """One measured setting."""

    setting: float
    computed: float
    psnr: float


@dataclass(frozen=True)
class Span:
    """Where a curve has to be known, in computed steps, and how finely."""

    low: float
    high: float
    gap: float = 2.0
    floor: float = math.inf  # decibels; the curve is followed below `low` until it falls under this
    targets: tuple[float, ...] = ()  # if given, only the gaps that hold one of these are filled

    @classmethod
    def of_run(cls, steps: int, **knobs: Any) -> "Span":
        """12 to 32 of 50 steps, and the same share of any other number.

        Example:
            >>> Span.of_run(30).low, Span.of_run(30).high
            (7.2, 19.2)
        """
        return cls(12 * steps / 50, 32 * steps / 50, **knobs)


def next_setting(points: Sequence[Point], first: float, span: Span) -> float | None:
    """The setting that tells most: both ends of the range, then its widest gap; None when the curve is known.

    Depends on nothing but the points, so that a run that was interrupted goes on where it stopped.

    Example:
        >>> next_setting([], 0.05, Span(12, 32))
        0.05
        >>> next_setting([Point(0.05, 33.0, 60.0), Point(0.1, 29.0, 50.0), Point(0.2, 11.0, 30.0)], 0.05, Span(12, 32))
        0.14142
    """
    if not points:
        return first
    ordered = sorted(points)
    if ordered[0].computed < span.high and ordered[0].setting > SMALLEST:
        return _tidy(ordered[0].setting / FACTOR)
    if _goes_on(ordered, span):
        return _tidy(ordered[-1].setting * FACTOR)
    return _between(points, span)


def _goes_on(ordered: Sequence[Point], span: Span) -> bool:
    """Whether larger settings still have something to show."""
    last = ordered[-1]
    if last.setting > LARGEST or (last.computed <= span.low and (last.psnr < span.floor or math.isinf(span.floor))):
        return False
    before = ordered[-2].computed if len(ordered) > 1 else math.inf
    return last.computed >= span.high or before - last.computed > SAME


def _between(points: Sequence[Point], span: Span) -> float | None:
    """Split the widest gap, between the neighbouring settings where the curve jumps over it."""
    by_place, by_setting = sorted(points, key=lambda point: point.computed), sorted(points)
    gaps = [pair for pair in itertools.pairwise(by_place) if _matters(*pair, span)]
    for gap in sorted(gaps, key=lambda pair: pair[0].computed - pair[1].computed):
        left, right = next(p for p in itertools.pairwise(by_setting) if _jumps(*p, *gap))
        if right.setting / left.setting > CLOSEST:
            share = _share(*gap, span)
            share = share if left.computed < right.computed else 1 - share
            return _tidy(left.setting * (right.setting / left.setting) ** share)
    return None


def _share(few: Point, many: Point, span: Span) -> float:
    """How far from few to many to aim: beside a target that lies between, on its farther side, else evenly."""
    width = many.computed - few.computed
    between = [target for target in span.targets if few.computed < target < many.computed]
    if not between:
        parts = max(2, math.ceil(width / (0.9 * span.gap)))
        return (parts // 2) / parts
    target = between[len(between) // 2]
    side = -1 if target - few.computed > many.computed - target else 1
    return min(0.75, max(0.25, (target + side * 0.45 * span.gap - few.computed) / width))


def _jumps(left: Point, right: Point, few: Point, many: Point) -> bool:
    ends = sorted((left.computed, right.computed))
    return ends[0] <= few.computed and many.computed <= ends[1]


def _matters(few: Point, many: Point, span: Span) -> bool:
    """A gap that is too wide, and lies where the curve is asked for."""
    if many.computed - few.computed <= span.gap:
        return False
    if span.targets and any(few.computed < target < many.computed for target in span.targets):
        return True
    above = not math.isinf(span.floor) and many.psnr >= span.floor
    if span.targets:
        return above and few.psnr < span.floor
    return few.computed < span.high and (many.computed > span.low or above)


def _tidy(setting: float) -> float:
    return float(f"{setting:.5g}")
