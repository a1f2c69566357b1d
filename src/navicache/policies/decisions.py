"""The verdicts that several gates give, and the division whose result a threshold may be held against."""

import math

from navicache.policies.protocols import Decision

GATE_REUSE, GATE_COMPUTE = Decision(False, "gate"), Decision(True, "gate")
SCHEDULE_REUSE, SCHEDULE_COMPUTE = Decision(False, "schedule"), Decision(True, "schedule")
NO_SIGNAL_COMPUTE = Decision(True, "no signal yet")


def divide_ieee(numerator: float, denominator: float) -> float:
    """IEEE division: where nothing changed the ratio is infinite or NaN and the step computes, as officially.

    Example:
        >>> divide_ieee(1.0, 4.0), divide_ieee(1.0, 0.0)
        (0.25, inf)
    """
    if denominator != 0:
        return numerator / denominator
    return math.copysign(math.inf, numerator) if abs(numerator) > 0 else math.nan  # NaN is above nothing
