"""The verdicts that several gates give, and the division whose result a threshold may be held against."""

import math

from navicache.policies.protocols import Verdict

REUSE, COMPUTE = Verdict(False, "gate"), Verdict(True, "gate")
HELD, DUE = Verdict(False, "schedule"), Verdict(True, "schedule")
UNSEEN = Verdict(True, "no signal yet")


def divide(numerator: float, denominator: float) -> float:
    """IEEE division: where nothing changed the ratio is infinite or NaN and the step computes, as officially.

    Example:
        >>> divide(1.0, 4.0), divide(1.0, 0.0)
        (0.25, inf)
    """
    if denominator != 0:
        return numerator / denominator
    return math.copysign(math.inf, numerator) if abs(numerator) > 0 else math.nan  # NaN is above nothing
