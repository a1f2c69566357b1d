"""Find the threshold at which a policy computes a wanted share of the steps."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields

from navicache.policies import find_policy

FIRST, FACTOR, LOWEST, HIGHEST = 0.1, 4.0, 1e-6, 1e6  # thresholds: tried first, times the last one tried, bounds
MAX_PROBES, NEAR, FAR = 16, 0.01, 0.05  # shares of the steps: near enough to stop, too far to be of use


def check_target(setting: str, policy: str, target: float | None, knobs: Collection[str]) -> None:
    """Raise ValueError unless the policy's threshold is free to meet the target, if there is one."""
    if target is None:
        return
    known = {field.name for field in fields(find_policy(policy))}  # pyright: ignore[reportArgumentType]
    if "speedup" in known:
        raise ValueError(
            f"setting {setting!r}: {policy} meets a speed-up itself: give knobs = {{ speedup = {target} }}"
        )
    if "threshold" not in known:
        raise ValueError(f"setting {setting!r}: {policy} has no threshold that could meet targets: sweep its knobs")
    if "threshold" in knobs:
        raise ValueError(f"setting {setting!r} has a threshold and targets: give one of them")
    if not target > 1:
        raise ValueError(f"setting {setting!r}: targets are steps per computed step, above 1, got {target}")


def check_tuning(tune: object, settings: Collection[str]) -> None:
    """Raise ValueError if there are settings with targets and no prompts to find their thresholds with."""
    if settings and tune is None:
        raise ValueError(
            f'{min(settings)!r} has targets: give the plan tune = {{ source = "pocket-tuning", count = 4 }}'
        )


def search_threshold(
    measure: Callable[[float], float], shares: dict[float, float], target: float, most: int = MAX_PROBES
) -> float:
    """Find the threshold whose share of computed steps is nearest to 1 / target.

    `shares` has what is known by threshold; what `measure` returns is added to it. `most` of them are known at the end.

    Example:
        >>> shares = {}
        >>> threshold = search_threshold(lambda threshold: 1 / (1 + 20 * threshold), shares, target=2.0)
        >>> round(threshold, 3), len(shares)
        (0.05, 3)
    """
    goal = 1 / target
    for _ in range(most - len(shares)):
        threshold = float(f"{_choose_next(shares, goal):.3g}")
        near = any(abs(share - goal) <= NEAR for share in shares.values())
        if near or threshold in shares or not LOWEST < threshold < HIGHEST:  # in `shares`: the share jumps here
            break
        shares[threshold] = measure(threshold)
    found = min(shares, key=lambda threshold: abs(shares[threshold] - goal))
    if abs(shares[found] - goal) > FAR:
        seen = ", ".join(f"{share:.0%} at {threshold}" for threshold, share in sorted(shares.items()))
        raise ValueError(f"no threshold computes {goal:.0%} of the steps: {seen}; change targets or align_steps")
    return found


def _choose_next(shares: dict[float, float], goal: float) -> float:
    """Interpolate by the logarithm of the threshold where the share falls below the goal first."""
    few = [threshold for threshold, share in shares.items() if share < goal]
    if not shares:
        return FIRST
    if not few:
        return max(shares) * _choose_factor([shares[threshold] for threshold in sorted(shares)[-2:]])
    high = min(few)
    many = [threshold for threshold in shares if threshold < high]
    if not many:
        return high / _choose_factor([shares[threshold] for threshold in sorted(shares)[:2]])
    low = max(many)
    part = (shares[low] - goal) / (shares[low] - shares[high])
    return low * (high / low) ** min(max(part, 0.15), 0.85)


def _choose_factor(outermost: Sequence[float]) -> float:
    """How far to go on: farther where the last step has changed nothing."""
    return FACTOR**2 if len(outermost) > 1 and len(set(outermost)) == 1 else FACTOR
