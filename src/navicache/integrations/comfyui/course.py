"""Where an evaluation stands in the run, as its noise level tells.

A sampler is handed the noise levels of its steps, and hands one to the model at every evaluation. All evaluations from
one level of the list down to just above the next belong to one step: `heun` evaluates twice at each level but the
first, `dpm_2` at a level and once more below it. The second evaluation of a step is a stream of its own.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

SLACK = 0.01  # of the distance to the level before: what a sampler's arithmetic may be off by
BACK = 1  # steps that a sampler may go back for a look (heunpp2); farther back it has put noise back


class Place(NamedTuple):
    """A step of a stretch: from full noise, or from where noise was put back."""

    stretch: int
    step: int  # since the stretch began
    total: int  # steps of the stretch


class Course:
    """The noise levels of a run, and how far it is.

    Example:
        >>> course = Course([1.0, 0.6, 0.3, 0.0])
        >>> [course.reach(sigma).step for sigma in (1.0, 0.6, 0.6, 0.3, 0.3)]  # heun
        [0, 1, 1, 2, 2]
    """

    def __init__(self, sigmas: Sequence[float]) -> None:
        """Nothing has been evaluated."""
        down = sigmas[0] >= sigmas[-1]
        self._sign = 1.0 if down else -1.0  # some nodes turn a run around, to find the noise of a video
        levels = [self._sign * sigma for sigma in sigmas]
        self._legs = _legs(levels)
        self._leg, self._stretch, self._begun, self._step = 0, 0, 0, 0

    @property
    def stretches(self) -> int:
        """How many there were so far."""
        return self._stretch + 1

    def reach(self, sigma: float) -> Place:
        """The place of an evaluation at this noise level; they come in the order of the run."""
        level = self._sign * sigma
        step = self._find(level)
        if step < self._step - BACK:
            self._leg = min(self._leg + 1, len(self._legs) - 1)
            step = self._find(level)
            self._stretch, self._begun, self._step = self._stretch + 1, step, step
        self._step = max(self._step, step)
        return Place(self._stretch, self._step - self._begun, self._steps - self._begun)

    @property
    def _steps(self) -> int:
        last = self._leg == len(self._legs) - 1
        return max(1, len(self._legs[self._leg]) - last)  # the very last level is where the run ends

    def _find(self, level: float) -> int:
        """How many levels after the first have been reached; an evaluation at the end counts to the last step."""
        pairs = pairwise(self._legs[self._leg])
        reached = sum(level <= after + SLACK * (before - after) for before, after in pairs)
        return min(reached, self._steps - 1)


def _legs(levels: Sequence[float]) -> list[list[float]]:
    """The levels, cut wherever they go up again.

    Example:
        >>> _legs([1.0, 0.5, 0.8, 0.0])
        [[1.0, 0.5], [0.8, 0.0]]
    """
    legs = [[*levels[:1]]]
    for before, level in pairwise(levels):
        if level > before:
            legs.append([])
        legs[-1].append(level)
    return legs
