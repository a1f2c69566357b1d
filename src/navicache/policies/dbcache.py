"""DBCache (cache-dit): outer blocks always run; middle blocks are reused while the first ones' residual hardly changes.

d = mean|s_i - s_j| / mean|s_j|;   reuse while d < tau, within the limits; s is what the first blocks add

cache-dit's step mask, token choice and shared branch difference are not implemented.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from navicache.policies.cache_sites import Blocks
from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE, NO_SIGNAL_COMPUTE, PlainGate
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.firstblockcache import compute_change_since_computed
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import check_integer, check_number, check_optional_count, check_threshold
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.protocols import Decision, Measurement, RowRule, Step, StreamRule

ALIGN_COMPUTE, LIMIT_COMPUTE = Decision(True, "align"), Decision(True, "limit")


class DBCacheState(NamedTuple):
    """State of the gate during one run."""

    reused_count: int = 0  # steps
    consecutive_reuses: int = 0  # reuses in a row, as cache-dit counts them
    accumulated_difference: float = 0.0  # differences, never cleared within a run
    difference: float | None = None


@dataclass(frozen=True, kw_only=True)
class DBCacheGate(PlainGate[DBCacheState]):
    """Applies its tests in order; the first that applies decides."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_computed"}), init=False)

    threshold: float
    align_steps: int = 8
    align_interval: int = 1
    most_reused: int | None = None
    longest_reuse: int | None = None
    most_accumulated: float | None = None

    def init(self) -> DBCacheState:
        """Nothing reused."""
        return DBCacheState()

    def decide(self, state: DBCacheState, step: Step) -> tuple[Decision, DBCacheState]:
        """Warm-up, the three limits, then the difference."""
        state = count_previous_reuse(state, step.gap)._replace(difference=None)
        if step.local_index < self.align_steps and step.local_index % self.align_interval == 0:
            return ALIGN_COMPUTE, state
        if self.most_reused is not None and state.reused_count >= self.most_reused:
            return LIMIT_COMPUTE, state
        if self.longest_reuse is not None and state.consecutive_reuses >= self.longest_reuse:
            return LIMIT_COMPUTE, state._replace(consecutive_reuses=0)
        if self.most_accumulated is not None and state.accumulated_difference >= self.most_accumulated:
            return LIMIT_COMPUTE, state
        return self._decide_by_difference(state, compute_change_since_computed(step))

    def _decide_by_difference(self, state: DBCacheState, difference: float | None) -> tuple[Decision, DBCacheState]:
        if self.threshold <= 0 or difference is None:
            return NO_SIGNAL_COMPUTE if self.threshold > 0 else GATE_COMPUTE, state
        if self.threshold >= 1:
            return GATE_REUSE, state
        accumulated = state.accumulated_difference + (difference if math.isfinite(difference) else 0.0)
        state = state._replace(accumulated_difference=accumulated, difference=difference)
        return GATE_REUSE if difference < self.threshold else GATE_COMPUTE, state

    def explain(self, state: DBCacheState) -> Mapping[str, float]:
        """The difference against its threshold."""
        shown = {"threshold": self.threshold}
        if state.difference is None or not math.isfinite(state.difference):
            return shown
        return {**shown, "predicted_change": state.difference}


def count_previous_reuse(state: DBCacheState, steps_since_compute: int) -> DBCacheState:
    """Update the reuse counts for the previous step, as cache-dit counts them.

    The first reuse of a run counts, a reuse after a compute does not, a reuse after a reuse does (twice from count 0).

    Example:
        >>> count_previous_reuse(DBCacheState(), 2)
        DBCacheState(reused_count=1, consecutive_reuses=1, accumulated_difference=0.0, difference=None)
        >>> count_previous_reuse(DBCacheState(reused_count=1, consecutive_reuses=0), 3).consecutive_reuses
        2
    """
    if steps_since_compute < 2:
        return state
    after_reuse = 0 if steps_since_compute == 2 else 1 if state.consecutive_reuses else 2
    more = after_reuse if state.reused_count else 1
    return state._replace(reused_count=state.reused_count + 1, consecutive_reuses=state.consecutive_reuses + more)


@dataclass(frozen=True)
class DBCache:
    """As `firstblockcache`, with more blocks at either end, a warm-up and limits.

    Example:
        >>> DBCache(first=4, last=2, order=1).schemes()[0].predictor.needs_past_inputs
        True
    """

    name: ClassVar[str] = "dbcache"

    threshold: float = 0.08  # 0 computes every step; 1 or more reuses all that the limits allow
    first: int = 8  # blocks that always run, at the start of each list of blocks
    last: int = 0  # and at its end
    align_steps: int = 8
    align_interval: int = 1  # of those steps, each step divisible by this is always computed
    most_reused: int | None = None  # reused steps per run
    longest_reuse: int | None = None  # consecutive reuses, as counted by `count_previous_reuse`
    most_accumulated: float | None = None  # sum of the differences over the whole run
    order: int = 0  # of the residual's forecast: 0 holds it

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        for knob, least in (("first", 1), ("last", 0), ("align_steps", 1), ("align_interval", 1), ("order", 0)):
            check_integer(knob, getattr(self, knob), least)
        check_optional_count("most_reused", self.most_reused)
        check_optional_count("longest_reuse", self.longest_reuse)
        if self.most_accumulated is not None:
            check_number("most_accumulated", self.most_accumulated, 0, math.inf, "leave it out for no limit")

    def schemes(self) -> tuple[Scheme, ...]:
        """One decision per guidance branch, after the first blocks."""
        gate = DBCacheGate(
            threshold=self.threshold,
            align_steps=self.align_steps,
            align_interval=self.align_interval,
            most_reused=self.most_reused,
            longest_reuse=self.longest_reuse,
            most_accumulated=self.most_accumulated,
        )
        hold = FiniteDifferences(self.order, target="residual", ignored_until_step=1) if self.order else ResidualHold()
        outer = Blocks(first=self.first, last=self.last)
        return (Scheme(outer, add_guards(gate, align_steps=1, last_step=False), hold, False, None, "first_residual"),)
