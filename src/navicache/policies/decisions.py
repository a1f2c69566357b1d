"""Decisions that several gates share, and the division they compare with a threshold."""

import math
from collections.abc import Mapping
from typing import Generic, TypeVar

from navicache.policies.protocols import Decision, Outcome

StateT = TypeVar("StateT")

GATE_REUSE, GATE_COMPUTE = Decision(False, "gate"), Decision(True, "gate")
SCHEDULE_REUSE, SCHEDULE_COMPUTE = Decision(False, "schedule"), Decision(True, "schedule")
NO_SIGNAL_COMPUTE = Decision(True, "no signal yet")


class PlainGate(Generic[StateT]):
    """Base class of gates: computes teach it nothing and it explains nothing, unless a subclass says how."""

    def learn(self, state: StateT, outcome: Outcome) -> StateT:
        """Learn nothing."""
        del outcome
        return state

    def explain(self, state: StateT) -> Mapping[str, float]:
        """Show nothing."""
        del state
        return {}


def divide_ieee(numerator: float, denominator: float) -> float:
    """Divide as IEEE floats do.

    If nothing changed the result is infinite or NaN, and the step is computed, as in the official code.

    Example:
        >>> divide_ieee(1.0, 4.0), divide_ieee(1.0, 0.0)
        (0.25, inf)
    """
    if denominator != 0:
        return numerator / denominator
    return math.copysign(math.inf, numerator) if abs(numerator) > 0 else math.nan  # NaN is above nothing
