"""Where an evaluation stands in the run, as its noise level tells.

A sampler is handed the noise levels of its steps, and hands one to the model at every evaluation. All evaluations from
one level of the list down to just above the next belong to one step: `heun` evaluates twice at each level but the
first, `dpm_2` at a level and once more below it. The second evaluation of a step is a stream of its own.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

SIGMA_SLACK = 0.01  # of the distance to the level before: what a sampler's arithmetic may be off by
MAX_STEPS_BACK = 1  # steps that a sampler may go back for a look (heunpp2); farther back it has put noise back


class SegmentStep(NamedTuple):
    """A step of a stretch: from full noise, or from where noise was put back."""

    segment: int
    step: int  # since the stretch began
    total_steps: int  # steps of the stretch


class SigmaTracker:
    """The noise levels of a run, and how far it is.

    Example:
        >>> course = SigmaTracker([1.0, 0.6, 0.3, 0.0])
        >>> [course.advance_to(sigma).step for sigma in (1.0, 0.6, 0.6, 0.3, 0.3)]  # heun
        [0, 1, 1, 2, 2]
    """

    def __init__(self, sigmas: Sequence[float]) -> None:
        """Nothing has been evaluated."""
        down = sigmas[0] >= sigmas[-1]
        self._direction = 1.0 if down else -1.0  # some nodes turn a run around, to find the noise of a video
        levels = [self._direction * sigma for sigma in sigmas]
        self._descents = _split_at_rises(levels)
        self._descent, self._segment, self._segment_start, self._furthest_step = 0, 0, 0, 0

    @property
    def segment_count(self) -> int:
        """How many there were so far."""
        return self._segment + 1

    def advance_to(self, sigma: float) -> SegmentStep:
        """The place of an evaluation at this noise level; they come in the order of the run."""
        level = self._direction * sigma
        step = self._find_step(level)
        if step < self._furthest_step - MAX_STEPS_BACK:
            self._descent = min(self._descent + 1, len(self._descents) - 1)
            step = self._find_step(level)
            self._segment, self._segment_start, self._furthest_step = self._segment + 1, step, step
        self._furthest_step = max(self._furthest_step, step)
        return SegmentStep(
            self._segment, self._furthest_step - self._segment_start, self._step_count - self._segment_start
        )

    @property
    def _step_count(self) -> int:
        last = self._descent == len(self._descents) - 1
        return max(1, len(self._descents[self._descent]) - last)  # the very last level is where the run ends

    def _find_step(self, signed_sigma: float) -> int:
        """How many levels after the first have been reached; an evaluation at the end counts to the last step."""
        pairs = pairwise(self._descents[self._descent])
        reached = sum(signed_sigma <= after + SIGMA_SLACK * (before - after) for before, after in pairs)
        return min(reached, self._step_count - 1)


def _split_at_rises(sigmas: Sequence[float]) -> list[list[float]]:
    """The levels, cut wherever they go up again.

    Example:
        >>> _descents([1.0, 0.5, 0.8, 0.0])
        [[1.0, 0.5], [0.8, 0.0]]
    """
    legs = [[*sigmas[:1]]]
    for before, level in pairwise(sigmas):
        if level > before:
            legs.append([])
        legs[-1].append(level)
    return legs
