"""Samplers that evaluate twice at one noise level: the second evaluation is the first one's twin.

`heun` corrects a step at the level where the next one begins, so that level is evaluated twice, at latents that differ
by what the correction moved. In the middle of a run that changes the output by a percent and less; in the first
steps, and at the last level, by far more. There twins are computed, and elsewhere they take over the first one's
answer, whether that was computed or predicted. How many at first: of the evaluations that half of the levels would
leave, a third. Of 50 levels at a speed-up of 2 that is 8, at 3 no more than every run begins with.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from navicache.integrations.comfyui.course import Place
from navicache.integrations.comfyui.samplers import Sampler
from navicache.integrations.comfyui.settings import by_speed
from navicache.policies import Inertial, Policy
from navicache.policies.inertial import USUAL_SPEEDUP

SAME = 1e-3  # relative: two noise levels that are one, but for a sampler's arithmetic


def same(sigma: float, before: float) -> bool:
    """Whether two evaluations are at one noise level.

    Example:
        >>> same(0.5, 0.50001), same(0.5, 0.52)
        (True, False)
    """
    return abs(sigma - before) <= SAME * before


class Twins(NamedTuple):
    """Which twins of a run are computed."""

    first: int  # levels at the start
    last: bool  # and at the end

    def due(self, place: Place) -> bool:
        """Whether the twin at this level is one of them.

        Example:
            >>> [Twins(3, True).due(Place(0, level, 20)) for level in (2, 3, 18, 19)]
            [True, False, False, True]
        """
        return place.step < self.first or (self.last and place.step == place.total - 1)


def share(policy: Policy, sampler: Sampler, sigmas: Sequence[float]) -> tuple[Policy, Twins | None]:
    """The policy for the levels of a run, and which twins are computed; None where they are evaluations like any other.

    A speed-up counts evaluations: what the twins leave of it is the levels'. Where an error is promised, or other
    policies decide, no twin is held: nobody measures what that would miss by.
    """
    levels, unpaired = len(sigmas) - 1, int(sigmas[-1] != 0)  # a run that ends before may evaluate at its end
    if not (sampler.twins and isinstance(policy, Inertial) and by_speed(policy) and levels >= policy.shortest):
        return policy, None
    budget = int((2 * levels - 1 + unpaired) / (policy.speedup or USUAL_SPEEDUP))
    first = max(policy.align_steps, round((budget - levels / 2) / 3))
    due = first - 1 + policy.last_step + unpaired  # the first level has no twin
    spare = max(0, budget - due - levels)  # a small speed-up has more to spend
    return (
        replace(policy, speedup=max(1.0, levels / max(1, budget - due))),
        Twins(first + spare, policy.last_step),
    )
