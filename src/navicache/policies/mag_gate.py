"""MagCache's rule: from the table alone, how far a held residual has drifted from the true one in size.

    P <- P g_i;   E <- E + |1 - P|;   reuse while E <= tau and at most K in a row;   else compute, P = 1 and E = 0

Nothing is measured. Steps before the retention bound compute and leave the books as they are.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from navicache.policies.guards import aligning
from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Verdict
from navicache.policies.verdicts import COMPUTE, REUSE

Comparison = Literal["<", "<="]
Rounding = Literal["down", "nearest", "up"]
ROUNDINGS: dict[Rounding, float] = {"down": 0.0, "nearest": 0.5, "up": 1.0}
RETAINED = Verdict(True, "retention")


@dataclass(frozen=True)
class Retention:
    """Which steps compute whatever the table says."""

    share: float
    rounding: Rounding = "down"
    align_steps: int = 1
    switch: float | None = None
    reuse_before_switch: bool = True

    def holds(self, step: Step, total: int, calls: int) -> bool:
        """Whether this call is retained; the scripts count calls, `calls` a step, so a bound may part the branches."""
        if aligning(step.index, step.own_index, self.align_steps):
            return True
        call, last = calls * step.index + min(step.branch, calls - 1), calls * total
        if self.switch is None:
            return call < self._bound(last * self.share)
        switch = calls * (math.floor(self.switch * total) + 1)
        bound = switch + (last - switch) * self.share
        if not self.reuse_before_switch:
            return call < int(bound)
        return call < int(switch * self.share) or switch <= call <= bound

    def _bound(self, calls: float) -> int:
        return math.ceil(calls) if self.rounding == "up" else int(calls + ROUNDINGS[self.rounding])


class MagState(NamedTuple):
    """What the gate remembers within one run."""

    product: float = 1.0  # P
    error: float = 0.0  # E
    reused: int = 0  # in a row
    tried: float | None = None  # E that the decision was taken on
    change: float | None = None  # |1 - g_i| of this step


@dataclass(frozen=True, kw_only=True)
class MagGate:
    """Knobs of the rule; a decision depends on nothing but the step, so a whole schedule is known beforehand."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset(), init=False)

    tables: tuple[tuple[float, ...], ...]  # one, or one per guidance branch
    retention: Retention
    threshold: float
    longest_reuse: int
    comparison: Comparison = "<="
    signed: bool = False
    largest_change: float | None = None
    always_compute: tuple[int, ...] = ()
    reused_before: int = 0

    def init(self) -> MagState:
        """No drift."""
        return MagState(reused=self.reused_before)

    def decide(self, state: MagState, step: Step) -> tuple[Verdict, MagState]:
        """Reuse while the drift is small. The books are kept here, not in `learn`, which may come late."""
        table = self.tables[min(step.branch, len(self.tables) - 1)]
        total = step.total or len(table)
        if self.retention.holds(step, total, len(self.tables)):
            return RETAINED, state._replace(tried=None, change=None)
        entry = source(min(step.index, total - 1), len(table), total)
        product = state.product * table[entry]
        error = state.error + (1 - product if self.signed else abs(1 - product))
        if self._accepts(error, state.reused + 1) and self._allows(entry, table[entry]):
            return REUSE, MagState(product, error, state.reused + 1, error, abs(1 - table[entry]))
        return COMPUTE, MagState(tried=error, change=abs(1 - table[entry]))

    def _accepts(self, error: float, reused: int) -> bool:
        within = error < self.threshold or (error == self.threshold and self.comparison == "<=")
        return self.threshold > 0 and within and reused <= self.longest_reuse

    def _allows(self, entry: int, ratio: float) -> bool:
        small = self.largest_change is None or abs(1 - ratio) <= self.largest_change
        return small and entry not in self.always_compute

    def learn(self, state: MagState, outcome: Outcome) -> MagState:
        """Nothing to learn."""
        del outcome
        return state

    def explain(self, state: MagState) -> Mapping[str, float]:
        """The drift against its threshold, and what this step adds to it."""
        shown = {"threshold": self.threshold, "accumulated": state.tried, "predicted_change": state.change}
        return {name: value for name, value in shown.items() if value is not None}


def source(index: int, entries: int, total: int) -> int:
    """The table's entry for a step of a run of another length: the nearest, ends on ends, halves to the even one.

    Example:
        >>> [source(i, 5, 9) for i in range(9)]
        [0, 0, 1, 2, 2, 2, 3, 4, 4]
    """
    return entries - 1 if total == 1 else round(index * (entries - 1) / (total - 1))
