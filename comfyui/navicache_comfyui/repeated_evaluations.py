"""Samplers that evaluate twice at one noise level: which repeated evaluations are computed.

`heun` corrects a step at the level where the next one starts, so that level is evaluated twice, at latents that differ
by the correction. In the middle of a run this changes the output by a percent or less; in the first steps and at the
last level by far more. There repeated evaluations are computed; elsewhere they reuse the output of the first one,
computed or predicted. The number computed at the start is a third of the evaluations that half of the levels would
leave: 8 of 50 levels at a speed-up of 2, and at 3 only the fewest.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from navicache.policies import Inertial, Policy
from navicache.policies.inertial import DEFAULT_SPEEDUP

from .policy_settings import has_speedup_target
from .sampler_traits import SamplerTraits
from .sigma_tracker import SegmentStep

FEWEST_FIRST_LEVELS = 3
SAME_SIGMA_TOLERANCE = 1e-3  # relative: closer noise levels differ only by a sampler's rounding


def is_same_sigma(sigma: float, previous_sigma: float) -> bool:
    """Whether two evaluations are at one noise level.

    Example:
        >>> is_same_sigma(0.5, 0.50001), is_same_sigma(0.5, 0.52)
        (True, False)
    """
    return abs(sigma - previous_sigma) <= SAME_SIGMA_TOLERANCE * previous_sigma


class RepeatSchedule(NamedTuple):
    """Which repeated evaluations of a run are computed."""

    first_levels: int  # noise levels at the start
    computes_last: bool  # also the last noise level

    def is_repeat_computed(self, step: SegmentStep) -> bool:
        """Whether the repeated evaluation at this step is computed.

        Example:
            >>> [RepeatSchedule(3, True).is_repeat_computed(SegmentStep(0, level, 20)) for level in (2, 3, 18, 19)]
            [True, False, False, True]
        """
        return step.step < self.first_levels or (self.computes_last and step.step == step.total_steps - 1)


def split_budget_with_repeats(
    policy: Policy, sampler: SamplerTraits, sigmas: Sequence[float]
) -> tuple[Policy, RepeatSchedule | None]:
    """Return the policy for the levels of a run, and the schedule of repeated evaluations; None if all are computed.

    A speed-up counts evaluations: the levels get what the repeated ones leave. With an error target, or with other
    policies, no repeated evaluation is reused, because its error is not measured.
    """
    levels, unpaired = len(sigmas) - 1, int(sigmas[-1] != 0)  # a partial run may evaluate once at its last level
    if not (
        sampler.repeats_evaluations
        and isinstance(policy, Inertial)
        and has_speedup_target(policy)
        and levels >= policy.shortest
    ):
        return policy, None
    budget = int((2 * levels - 1 + unpaired) / (policy.speedup or DEFAULT_SPEEDUP))
    first = max(policy.align_steps or FEWEST_FIRST_LEVELS, round((budget - levels / 2) / 3))
    repeats = first - 1 + policy.last_step + unpaired  # the first level is evaluated once
    spare = max(0, budget - repeats - levels)  # a small speed-up can compute more
    levels_policy = replace(policy, speedup=max(1.0, levels / max(1, budget - repeats)))
    return levels_policy, RepeatSchedule(first + spare, policy.last_step)
