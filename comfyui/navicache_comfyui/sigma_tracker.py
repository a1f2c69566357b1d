"""Find the step of an evaluation from its noise level.

A sampler gets the noise levels of its steps and passes one to the model at every evaluation. All evaluations from one
level of the list down to just above the next belong to one step: `heun` evaluates twice at each level but the first,
`dpm_2` at a level and again below it. The second evaluation of a step is a separate branch.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from navicache.policies import NoiseLevels

SIGMA_SLACK = 0.01  # tolerance for a sampler's rounding, as a share of the distance to the level before
MAX_STEPS_BACK = 1  # heunpp2 goes back one step; farther back means that noise was added again


class SegmentStep(NamedTuple):
    """A step of a segment; a new segment starts where noise is added again."""

    segment: int
    step: int  # within the segment
    total_steps: int  # of the segment


class SigmaTracker:
    """The noise levels of a run, and the current position in it.

    Example:
        >>> tracker = SigmaTracker([1.0, 0.6, 0.3, 0.0])
        >>> [tracker.advance_to(sigma).step for sigma in (1.0, 0.6, 0.6, 0.3, 0.3)]  # heun
        [0, 1, 1, 2, 2]
    """

    def __init__(self, sigmas: Sequence[float]) -> None:
        """Start before the first evaluation."""
        down = sigmas[0] >= sigmas[-1]
        self._direction = 1.0 if down else -1.0  # some nodes run upwards, to find the noise of a video
        levels = [self._direction * sigma for sigma in sigmas]
        self._descents = _split_at_rises(levels)
        self._descent, self._segment, self._segment_start, self._furthest_step = 0, 0, 0, 0

    @property
    def segment_count(self) -> int:
        """How many segments there are so far."""
        return self._segment + 1

    def read_noise_levels(self) -> NoiseLevels | None:
        """The noise levels of the current segment, sigma / (alpha + sigma); None for a run that adds noise.

        Example:
            >>> SigmaTracker([1.0, 0.6, 0.3, 0.0]).read_noise_levels()
            (1.0, 0.6, 0.3, 0.0)
            >>> SigmaTracker([3.0, 1.0, 0.0]).read_noise_levels()
            (0.75, 0.5, 0.0)
        """
        if self._direction < 0:
            return None
        is_flow = max(descent[0] for descent in self._descents) <= 1  # other models start far above 1
        levels = self._descents[self._descent][self._segment_start :][: self._step_count - self._segment_start]
        return (*(level if is_flow else level / (1 + level) for level in levels), 0.0)

    def advance_to(self, sigma: float) -> SegmentStep:
        """Return the step of an evaluation at this noise level; call it in the order of the run."""
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
        """Count the levels reached after the first; an evaluation at the end belongs to the last step."""
        pairs = pairwise(self._descents[self._descent])
        reached = sum(signed_sigma <= after + SIGMA_SLACK * (before - after) for before, after in pairs)
        return min(reached, self._step_count - 1)


def _split_at_rises(sigmas: Sequence[float]) -> list[list[float]]:
    """Split the levels wherever they rise.

    Example:
        >>> _split_at_rises([1.0, 0.5, 0.8, 0.0])
        [[1.0, 0.5], [0.8, 0.0]]
    """
    descents = [[*sigmas[:1]]]
    for before, level in pairwise(sigmas):
        if level > before:
            descents.append([])
        descents[-1].append(level)
    return descents
