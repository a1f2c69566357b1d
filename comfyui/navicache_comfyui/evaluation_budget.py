"""How many evaluations of a run are computed, and which of those that come back to a noise level.

`heun` and `heunpp2` evaluate a level two or three times, at latents that differ by a correction. In the middle of a run
this changes the output by a percent or less; in the first steps and at the last level by far more. There revisits are
computed; elsewhere they reuse the output of the level, computed or predicted. The number of such levels at the start is
a third of the evaluations that half of the levels would leave: 8 of 50 levels of `heun` at a speed-up of 2, and at 3
only the fewest. `heunpp2` looks two levels ahead, so its first outputs matter more: at least nine of ten levels are
computed once, and the rest goes to the revisits of the first levels.

The first output of a level is of a latent that `heunpp2` has reached by two steps of Euler, and what it sees ahead
weighs less as the noise falls. From half of the first noise level on, the last output of a level, on the sampler's
course, has most of the weight: there it is the step, and evaluations ahead of it continue the line of those before.

A run with few computed steps shows another video than an uncached one, so a speed-up is lowered to what leaves
FEWEST_COMPUTED of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from navicache.policies import Inertial, Policy
from navicache.policies.inertial import DEFAULT_SPEEDUP

from .evaluation_plan import EvaluationPlan
from .policy_settings import has_speedup_target

FEWEST_FIRST_LEVELS = 3
FEWEST_COMPUTED = 6  # evaluations of a whole run; half of them of a sampler that runs a part of it


LEVELS_KEPT = 0.9  # of the levels of a sampler that evaluates them three times
LATE_SHARE = 0.5  # of the first noise level: below it what such a sampler sees ahead has little weight
SWITCH_EVALUATIONS = 2  # the first outputs of a conditioning that begins in mid-run: before them nothing is predicted


class RevisitRule(NamedTuple):
    """Which levels of a run are computed each time they are evaluated; at others the first output is reused."""

    first_levels: int = 0  # at the start
    computes_last: bool = False  # also the last level
    follows: bool = False  # a revisit is computed if the level's first evaluation was
    late_level: int | None = None  # from this level on the last evaluation is computed, and not the first

    def is_computed(self, level: int, level_count: int, first_computed: bool) -> bool:
        """Whether a revisit of this level is computed.

        Example:
            >>> [RevisitRule(3, True).is_computed(level, 20, True) for level in (2, 3, 18, 19)]
            [True, False, False, True]
        """
        if self.follows:
            return first_computed
        return level < self.first_levels or (self.computes_last and level == level_count - 1)

    def is_late(self, level: int) -> bool:
        """Whether the last evaluation of this level is its step."""
        return self.late_level is not None and level >= self.late_level


def fit_budget(policy: Policy, plan: EvaluationPlan, switches: int, is_whole_run: bool) -> tuple[Policy, str]:
    """Fit a speed-up to a run: not too few computed evaluations, and those that new conditionings cost taken off.

    Args:
        policy: as it was chosen.
        plan: of the run.
        switches: how many times a conditioning begins in mid-run.
        is_whole_run: whether the sampler goes from noise to the end.
    """
    count = sum(place is not None for place in plan.places)
    policy, note = raise_short_budget(policy, count, is_whole_run)
    if not (switches and count and isinstance(policy, Inertial) and has_speedup_target(policy)):
        return policy, note
    speedup = policy.speedup or DEFAULT_SPEEDUP
    budget = count / speedup - switches * SWITCH_EVALUATIONS * (1 - 1 / speedup)
    return replace(policy, speedup=count / min(count, max(budget, FEWEST_COMPUTED))), note


def raise_short_budget(policy: Policy, evaluations: int, is_whole_run: bool) -> tuple[Policy, str]:
    """Lower a speed-up that would leave too few computed evaluations, and say so.

    Example:
        >>> raise_short_budget(Inertial(speedup=3.0), 12, True)[1]
        '3x of 12 evaluations leaves too few of them for the same video: 6 are computed'
    """
    fewest = FEWEST_COMPUTED if is_whole_run else (FEWEST_COMPUTED + 1) // 2
    if not (isinstance(policy, Inertial) and has_speedup_target(policy) and evaluations):
        return policy, ""
    speedup = policy.speedup or DEFAULT_SPEEDUP
    if round(evaluations / speedup) >= fewest or speedup == 1:
        return policy, ""
    if evaluations <= fewest:
        note = f"a run of {evaluations} evaluations is too short to leave some out: all are computed"
        return replace(policy, speedup=1.0), note
    left = f"{speedup:g}x of {evaluations} evaluations leaves too few of them for the same video: {fewest} are computed"
    return replace(policy, speedup=evaluations / fewest), left


def split_budget_with_revisits(
    policy: Policy, revisits: Sequence[int], sigmas: Sequence[float] = ()
) -> tuple[Policy, RevisitRule]:
    """Return the policy for the levels of a run, and the rule for revisits, given how often each level has one.

    A speed-up counts evaluations: the levels get what the revisits leave. With an error target, or with other policies,
    a revisit follows its level, because its own error is not measured.
    """
    levels, extra = len(revisits), sum(revisits)
    if not (isinstance(policy, Inertial) and has_speedup_target(policy) and levels >= policy.shortest):
        return policy, RevisitRule(follows=True)
    if not extra:
        return policy, RevisitRule()
    budget = int((levels + extra) / (policy.speedup or DEFAULT_SPEEDUP))
    if max(revisits) > 1:
        return _split_for_thrice(policy, revisits, budget, find_late_level(sigmas))
    first = max(policy.align_steps or FEWEST_FIRST_LEVELS, round((budget - levels / 2) / 3))
    at_end = revisits[-1] if policy.last_step else 0
    spare = max(0, budget - sum(revisits[:first]) - at_end - levels)  # a small speed-up can compute more
    while spare >= sum(revisits[first : first + 1]) > 0:
        spare, first = spare - revisits[first], first + 1
    rest = budget - sum(revisits[:first]) - at_end
    return replace(policy, speedup=max(1.0, levels / max(1, rest))), RevisitRule(first, policy.last_step)


def find_late_level(sigmas: Sequence[float]) -> int | None:
    """The first level at which what lies ahead has little weight; None if there is none, or if the levels rise.

    Example:
        >>> find_late_level([1.0, 0.8, 0.5, 0.2]), find_late_level([0.2, 0.5])
        (2, None)
    """
    return next((level for level, sigma in enumerate(sigmas) if sigma <= LATE_SHARE * sigmas[0]), None)


def _split_for_thrice(
    policy: Inertial, revisits: Sequence[int], budget: int, late: int | None
) -> tuple[Policy, RevisitRule]:
    """Nearly all levels are computed once, and what is left goes to revisits of the first ones, none to the last."""
    levels, first = len(revisits), policy.align_steps or FEWEST_FIRST_LEVELS
    while first < levels and sum(revisits[: first + 1]) <= budget - LEVELS_KEPT * levels:
        first += 1
    rest = max(1, budget - sum(revisits[:first]))
    late = None if late is None else max(late, first)
    return replace(policy, speedup=max(1.0, levels / rest)), RevisitRule(first, late_level=late)
