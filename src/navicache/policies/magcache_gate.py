"""MagCache's rule: a table says how far the magnitude of a held residual has drifted from the true one.

    P <- P g_i;   E <- E + |1 - P|;   reuse while E <= tau and at most K in a row;   else compute, P = 1 and E = 0

Nothing is measured during a run. Steps before the retention bound are computed and do not change the state.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE, PlainGate
from navicache.policies.guards import is_aligning
from navicache.policies.protocols import Decision, Measurement, RowRule, Step, StreamRule

Comparison = Literal["<", "<="]
Rounding = Literal["down", "nearest", "up"]
ROUNDING_OFFSETS: dict[Rounding, float] = {"down": 0.0, "nearest": 0.5, "up": 1.0}
RETENTION_COMPUTE = Decision(True, "retention")


@dataclass(frozen=True)
class RetentionRule:
    """Which steps are computed regardless of the table."""

    retained_share: float
    rounding: Rounding = "down"
    align_steps: int = 1
    switch: float | None = None
    reuse_before_switch: bool = True

    def is_retained(self, step: Step, total_steps: int, calls_per_step: int) -> bool:
        """Whether this call is always computed.

        The scripts count calls, so the bound can fall between two guidance branches.
        """
        if is_aligning(step, self.align_steps):
            return True
        call = calls_per_step * step.index + min(step.stream_index, calls_per_step - 1)
        last = calls_per_step * total_steps
        if self.switch is None:
            return call < self._round_call_bound(last * self.retained_share)
        switch = calls_per_step * (math.floor(self.switch * total_steps) + 1)
        bound = switch + (last - switch) * self.retained_share
        if not self.reuse_before_switch:
            return call < int(bound)
        return call < int(switch * self.retained_share) or switch <= call <= bound

    def _round_call_bound(self, calls: float) -> int:
        return math.ceil(calls) if self.rounding == "up" else int(calls + ROUNDING_OFFSETS[self.rounding])


class MagCacheState(NamedTuple):
    """State of the gate during one run."""

    ratio_product: float = 1.0  # P
    accumulated_error: float = 0.0  # E
    consecutive_reuses: int = 0
    decided_error: float | None = None  # E at the decision
    ratio_deviation: float | None = None  # |1 - g_i| of this step


@dataclass(frozen=True, kw_only=True)
class MagCacheGate(PlainGate[MagCacheState]):
    """Knobs of the rule. A decision depends on the step alone, so the schedule of a run is known beforehand."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset(), init=False)

    ratio_tables: tuple[tuple[float, ...], ...]  # one, or one per guidance branch
    retention: RetentionRule
    threshold: float
    longest_reuse: int
    comparison: Comparison = "<="
    signed: bool = False
    largest_change: float | None = None
    always_compute: tuple[int, ...] = ()
    reused_before: int = 0

    def init(self) -> MagCacheState:
        """Return the state without drift."""
        return MagCacheState(consecutive_reuses=self.reused_before)

    def decide(self, state: MagCacheState, step: Step) -> tuple[Decision, MagCacheState]:
        """Reuse while the drift is small. The state is updated here, not in `learn`, which may be called late."""
        table = self.ratio_tables[min(step.stream_index, len(self.ratio_tables) - 1)]
        total = step.total or len(table)
        if self.retention.is_retained(step, total, len(self.ratio_tables)):
            return RETENTION_COMPUTE, state._replace(decided_error=None, ratio_deviation=None)
        entry = map_step_to_entry(min(step.index, total - 1), len(table), total)
        product = state.ratio_product * table[entry]
        error = state.accumulated_error + (1 - product if self.signed else abs(1 - product))
        if self._is_within_limits(error, state.consecutive_reuses + 1) and self._is_entry_reusable(entry, table[entry]):
            return GATE_REUSE, MagCacheState(product, error, state.consecutive_reuses + 1, error, abs(1 - table[entry]))
        return GATE_COMPUTE, MagCacheState(decided_error=error, ratio_deviation=abs(1 - table[entry]))

    def _is_within_limits(self, error: float, consecutive_reuses: int) -> bool:
        within = error < self.threshold or (error == self.threshold and self.comparison == "<=")
        return self.threshold > 0 and within and consecutive_reuses <= self.longest_reuse

    def _is_entry_reusable(self, entry: int, ratio: float) -> bool:
        small = self.largest_change is None or abs(1 - ratio) <= self.largest_change
        return small and entry not in self.always_compute

    def explain(self, state: MagCacheState) -> Mapping[str, float]:
        """The drift, its threshold, and the part of this step."""
        shown = {
            "threshold": self.threshold,
            "accumulated": state.decided_error,
            "predicted_change": state.ratio_deviation,
        }
        return {name: value for name, value in shown.items() if value is not None}


def map_step_to_entry(step_index: int, entry_count: int, total_steps: int) -> int:
    """Index of the table entry nearest to a step, for a run with another number of steps.

    Example:
        >>> [map_step_to_entry(i, 5, 9) for i in range(9)]
        [0, 0, 1, 2, 2, 2, 3, 4, 4]
    """
    return entry_count - 1 if total_steps == 1 else round(step_index * (entry_count - 1) / (total_steps - 1))
