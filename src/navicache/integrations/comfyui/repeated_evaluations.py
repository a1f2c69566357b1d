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

from navicache.integrations.comfyui.sigma_tracker import SegmentStep
from navicache.integrations.comfyui.sampler_traits import SamplerTraits
from navicache.integrations.comfyui.policy_settings import has_speedup_target
from navicache.policies import Inertial, Policy
from navicache.policies.inertial import DEFAULT_SPEEDUP

SAME_SIGMA_TOLERANCE = 1e-3  # relative: two noise levels that are one, but for a sampler's arithmetic


def is_same_sigma(sigma: float, previous_sigma: float) -> bool:
    """Whether two evaluations are at one noise level.

    Example:
        >>> is_same_sigma(0.5, 0.50001), is_same_sigma(0.5, 0.52)
        (True, False)
    """
    return abs(sigma - previous_sigma) <= SAME_SIGMA_TOLERANCE * previous_sigma


class RepeatSchedule(NamedTuple):
    """Which twins of a run are computed."""

    first_levels: int  # levels at the start
    computes_last: bool  # and at the end

    def is_repeat_computed(self, step: SegmentStep) -> bool:
        """Whether the twin at this level is one of them.

        Example:
            >>> [RepeatSchedule(3, True).is_repeat_computed(SegmentStep(0, level, 20)) for level in (2, 3, 18, 19)]
            [True, False, False, True]
        """
        return step.step < self.first_levels or (self.computes_last and step.step == step.total_steps - 1)


def split_budget_with_repeats(
    policy: Policy, sampler: SamplerTraits, sigmas: Sequence[float]
) -> tuple[Policy, RepeatSchedule | None]:
    """The policy for the levels of a run, and which twins are computed; None where they are evaluations like any other.

    A speed-up counts evaluations: what the twins leave of it is the levels'. Where an error is promised, or other
    policies decide, no twin is held: nobody measures what that would miss by.
    """
    levels, unpaired = len(sigmas) - 1, int(sigmas[-1] != 0)  # a run that ends before may evaluate at its end
    if not (
        sampler.repeats_evaluations
        and isinstance(policy, Inertial)
        and has_speedup_target(policy)
        and levels >= policy.shortest
    ):
        return policy, None
    budget = int((2 * levels - 1 + unpaired) / (policy.speedup or DEFAULT_SPEEDUP))
    first = max(policy.align_steps, round((budget - levels / 2) / 3))
    due = first - 1 + policy.last_step + unpaired  # the first level has no twin
    spare = max(0, budget - due - levels)  # a small speed-up has more to spend
    return (
        replace(policy, speedup=max(1.0, levels / max(1, budget - due))),
        RepeatSchedule(first + spare, policy.last_step),
    )
