"""The evaluations of a run, known before it starts: which noise level each is at, and which come back to one.

`heun` evaluates each level twice in a row, `heunpp2` three times while it looks two levels ahead, `dpm_2` once at each
level and once between two. Every distinct noise level is one step of the cache; a later evaluation at the same level is
a revisit. A new segment starts where noise is added again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from navicache.policies import NoiseLevels

ROUNDING = 1e-4  # relative: closer noise levels differ only by a sampler's rounding
RECENT_LEVELS = 4  # as far back as a sampler returns to a level it has looked ahead at


class Place(NamedTuple):
    """Where an evaluation is in the run."""

    segment: int
    level: int  # within the segment
    visit: int  # 0 for the first evaluation at this level


@dataclass(frozen=True)
class EvaluationPlan:
    """All evaluations of a run; those without a place are computed and teach nothing.

    Example:
        >>> plan = plan_evaluations([1.0, 0.6, 0.6, 0.3, 0.3], [1.0, 0.6, 0.3, 0.0])  # heun
        >>> [place.level for place in plan.places], plan.levels, plan.count_revisits(0)
        ([0, 1, 1, 2, 2], ((1.0, 0.6, 0.3),), (0, 1, 1))
    """

    sigmas: tuple[float, ...]  # of the evaluations
    places: tuple[Place | None, ...]
    levels: tuple[tuple[float, ...], ...]  # the sigmas of every segment's levels
    end: float  # the sigma that the run ends at
    is_flow: bool = True  # the sigmas of other models go far above 1
    is_continued: bool = False  # the first segment's start was computed: by another sampler, or without a place here

    def has_sigma(self, number: int, sigma: float) -> bool:
        """Whether this evaluation is where it was expected."""
        return number < len(self.sigmas) and is_same_sigma(sigma, self.sigmas[number])

    @cached_property
    def last_evaluations(self) -> Mapping[tuple[int, int], int]:
        """The number of the last evaluation at each level, by segment and level.

        Example:
            >>> plan_evaluations([1.0, 0.6, 0.6], [1.0, 0.6, 0.0]).last_evaluations
            {(0, 0): 0, (0, 1): 2}
        """
        return {place[:2]: number for number, place in enumerate(self.places) if place is not None}

    def count_revisits(self, segment: int) -> tuple[int, ...]:
        """How often each level of a segment is evaluated again."""
        found = [place for place in self.places if place is not None and place.segment == segment]
        return tuple(
            sum(place.level == level and place.visit > 0 for place in found)
            for level in range(len(self.levels[segment]))
        )

    def read_noise_levels(self, segment: int) -> NoiseLevels | None:
        """The noise levels of a segment and its end, sigma / (alpha + sigma); None for a run that adds noise.

        Example:
            >>> plan_evaluations([1.0, 0.6, 0.3], [1.0, 0.6, 0.3, 0.0]).read_noise_levels(0)
            (1.0, 0.6, 0.3, 0.0)
            >>> plan_evaluations([3.0, 1.0], [3.0, 1.0, 0.0], is_flow=False).read_noise_levels(0)
            (0.75, 0.5, 0.0)
        """
        levels = self.levels[segment]
        if levels[0] < self.end:
            return None
        end = min(self.end, levels[-1]) if segment == len(self.levels) - 1 else levels[-1]
        return tuple(level if self.is_flow else level / (1 + level) for level in (*levels, end))

    def is_segment_continued(self, segment: int) -> bool:
        """Whether the start of a segment was computed before; where noise is added again, there is a new start."""
        return self.is_continued and segment == 0

    def keep_between(self, highest: float, lowest: float) -> "EvaluationPlan":
        """The plan with a place only for evaluations between two sigmas, the first part of them alone if they rise.

        Example:
            >>> plan = plan_evaluations([1.0, 0.6, 0.3], [1.0, 0.6, 0.3, 0.0])
            >>> part = plan.keep_between(0.7, 0.0)
            >>> part.places
            (None, Place(segment=0, level=0, visit=0), Place(segment=0, level=1, visit=0))
            >>> plan.is_continued, part.is_continued
            (False, True)
        """
        kept = [lowest <= sigma <= highest for sigma in self.sigmas]
        inner = [sigma for sigma, inside in zip(self.sigmas, kept, strict=True) if inside]
        part = plan_evaluations(inner, [*inner, max(lowest, self.end)] if inner else [self.end])
        rest, is_continued = iter(part.places), self.is_continued or not all(kept[:1])
        places = tuple(next(rest) if inside else None for inside in kept)
        return replace(self, places=places, levels=part.levels, is_continued=is_continued)


def plan_evaluations(evaluations: Sequence[float], sigmas: Sequence[float], is_flow: bool = True) -> EvaluationPlan:
    """Find the place of every evaluation, given the sampler's list of noise levels."""
    direction = 1.0 if not evaluations or sigmas[0] >= sigmas[-1] else -1.0  # some nodes run upwards
    may_revisit = all(direction * (before - after) >= 0 for before, after in pairwise(sigmas))
    segments: list[list[float]] = []
    visits: dict[tuple[int, int], int] = {}
    places: list[Place | None] = []
    for number, sigma in enumerate(evaluations):
        if sigma <= 0:
            places.append(None)
            continue
        level = _find_recent_level(segments[-1], sigma) if segments and may_revisit else None
        if level is None:
            recent = [direction * before for before in evaluations[max(0, number - RECENT_LEVELS) : number]]
            if not segments or direction * sigma > (max(recent) if may_revisit else recent[-1]):
                segments.append([])
            segments[-1].append(sigma)
            level = len(segments[-1]) - 1
        key = len(segments) - 1, level
        visits[key] = visits.get(key, -1) + 1
        places.append(Place(*key, visits[key]))
    return EvaluationPlan(tuple(evaluations), tuple(places), tuple(map(tuple, segments)), sigmas[-1], is_flow)


def is_same_sigma(sigma: float, other: float) -> bool:
    """Whether two noise levels are one.

    Example:
        >>> is_same_sigma(0.5, 0.50001), is_same_sigma(0.5, 0.501)
        (True, False)
    """
    return abs(sigma - other) <= ROUNDING * abs(other)


def _find_recent_level(levels: Sequence[float], sigma: float) -> int | None:
    recent = range(len(levels) - 1, max(-1, len(levels) - 1 - RECENT_LEVELS), -1)
    return next((level for level in recent if is_same_sigma(sigma, levels[level])), None)
