"""DBCache (cache-dit): outer blocks always run, the middle ones are reused while the first ones' residual hardly moves.

d = mean|s_i - s_j| / mean|s_j|;   reuse while d < tau, within the limits; s is what the first blocks add

cache-dit's mask of steps, its choice of tokens and its sharing of one branch's difference are left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from navicache.policies.checks import check_limit, check_number, check_threshold, check_whole
from navicache.policies.differences import Differences
from navicache.policies.firstblockcache import since_computed
from navicache.policies.guards import guarded
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Verdict
from navicache.policies.sites import Blocks
from navicache.policies.verdicts import COMPUTE, REUSE, UNSEEN

ALIGN, LIMIT = Verdict(True, "align"), Verdict(True, "limit")


class DualState(NamedTuple):
    """What the gate remembers within one run."""

    reused: int = 0  # steps
    row: int = 0  # reuses in a row, as cache-dit counts them
    accumulated: float = 0.0  # differences, never cleared within a run
    difference: float | None = None


@dataclass(frozen=True, kw_only=True)
class DualGate:
    """The tests in their order; the first that applies decides."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_computed"}), init=False)

    threshold: float
    align_steps: int = 8
    align_interval: int = 1
    most_reused: int | None = None
    longest_reuse: int | None = None
    most_accumulated: float | None = None

    def init(self) -> DualState:
        """Nothing reused."""
        return DualState()

    def decide(self, state: DualState, step: Step) -> tuple[Verdict, DualState]:
        """Warm-up, the three limits, then the difference."""
        state = counted(state, step.gap)._replace(difference=None)
        if step.own_index < self.align_steps and step.own_index % self.align_interval == 0:
            return ALIGN, state
        if self.most_reused is not None and state.reused >= self.most_reused:
            return LIMIT, state
        if self.longest_reuse is not None and state.row >= self.longest_reuse:
            return LIMIT, state._replace(row=0)
        if self.most_accumulated is not None and state.accumulated >= self.most_accumulated:
            return LIMIT, state
        return self._compare(state, since_computed(step))

    def _compare(self, state: DualState, difference: float | None) -> tuple[Verdict, DualState]:
        if self.threshold <= 0 or difference is None:
            return UNSEEN if self.threshold > 0 else COMPUTE, state
        if self.threshold >= 1:
            return REUSE, state
        accumulated = state.accumulated + (difference if math.isfinite(difference) else 0.0)
        state = state._replace(accumulated=accumulated, difference=difference)
        return REUSE if difference < self.threshold else COMPUTE, state

    def learn(self, state: DualState, outcome: Outcome) -> DualState:
        """A compute clears nothing."""
        del outcome
        return state

    def explain(self, state: DualState) -> Mapping[str, float]:
        """The difference against its threshold."""
        shown = {"threshold": self.threshold}
        if state.difference is None or not math.isfinite(state.difference):
            return shown
        return {**shown, "predicted_change": state.difference}


def counted(state: DualState, gap: int) -> DualState:
    """The books after the step before: `gap` tells whether it was reused, and the one before that.

    The first reuse of a run counts; one after a compute does not; one after a reuse does, twice where the row is at 0.

    Example:
        >>> counted(DualState(), 2), counted(DualState(reused=1, row=0), 3).row
        (DualState(reused=1, row=1, accumulated=0.0, difference=None), 2)
    """
    if gap < 2:
        return state
    after_reuse = 0 if gap == 2 else 1 if state.row else 2
    more = after_reuse if state.reused else 1
    return state._replace(reused=state.reused + 1, row=state.row + more)


@dataclass(frozen=True)
class DBCache:
    """FirstBlockCache with more than one block at either end, a warm-up and limits.

    Example:
        >>> DBCache(first=4, last=2, order=1).schemes()[0].predictor.keeps_inputs
        True
    """

    name: ClassVar[str] = "dbcache"

    threshold: float = 0.08  # 0 computes every step; 1 or more reuses all that the limits allow
    first: int = 8  # blocks that always run, at the start of each list of blocks
    last: int = 0  # and at its end
    align_steps: int = 8
    align_interval: int = 1  # of those steps, every so many compute whatever is measured
    most_reused: int | None = None  # steps of a run
    longest_reuse: int | None = None  # in a row, as `counted` counts
    most_accumulated: float | None = None  # differences, over the whole run
    order: int = 0  # of the forecast of the residual: 0 holds it

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        for knob, least in (("first", 1), ("last", 0), ("align_steps", 1), ("align_interval", 1), ("order", 0)):
            check_whole(knob, getattr(self, knob), least)
        check_limit("most_reused", self.most_reused)
        check_limit("longest_reuse", self.longest_reuse)
        if self.most_accumulated is not None:
            check_number("most_accumulated", self.most_accumulated, 0, math.inf, "leave it out for no limit")

    def schemes(self) -> tuple[Scheme, ...]:
        """One decision per guidance branch, after the first blocks."""
        gate = DualGate(
            threshold=self.threshold,
            align_steps=self.align_steps,
            align_interval=self.align_interval,
            most_reused=self.most_reused,
            longest_reuse=self.longest_reuse,
            most_accumulated=self.most_accumulated,
        )
        hold = Differences(self.order, of="residual", after=1) if self.order else ResidualHold()
        outer = Blocks(first=self.first, last=self.last)
        return (Scheme(outer, guarded(gate, align_steps=1, last_step=False), hold, False, None, "first_residual"),)
