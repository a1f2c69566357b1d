"""FirstBlockCache (ParaAttention; diffusers, first_block_cache.py): watch what the first block adds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from navicache.policies.cache_sites import Blocks
from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE, NO_SIGNAL_COMPUTE, PlainGate, divide_ieee
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import check_align_steps, check_threshold
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.protocols import Decision, Measurement, RowRule, Step, StreamRule


@dataclass(frozen=True, kw_only=True)
class SignalDistanceGate(PlainGate[float | None]):
    """Reuse while the signal is close to that of the last computed step: mean|s_i - s_j| / mean|s_j| <= tau."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_computed"}), init=False)

    threshold: float

    def init(self) -> float | None:
        """Return no difference."""

    def decide(self, state: float | None, step: Step) -> tuple[Decision, float | None]:
        """Compare this step with the threshold. Nothing is accumulated."""
        del state
        difference = compute_change_since_computed(step)
        if difference is None:
            return NO_SIGNAL_COMPUTE, None
        return GATE_REUSE if self.threshold > 0 and difference <= self.threshold else GATE_COMPUTE, difference

    def explain(self, state: float | None) -> Mapping[str, float]:
        """The difference against its threshold."""
        shown = {"threshold": self.threshold}
        return shown if state is None or not math.isfinite(state) else {**shown, "predicted_change": state}


def compute_change_since_computed(step: Step) -> float | None:
    """Relative change of the signal since the last computed step; None before the first."""
    if step.since_computed is None or step.computed_magnitude is None:
        return None
    return divide_ieee(step.since_computed, step.computed_magnitude)


@dataclass(frozen=True)
class FirstBlockCache:
    """Always run the first block; reuse the residual of the others while that of the first changes little.

    diffusers' default threshold is 0.05; its guide uses 0.2.

    Example:
        >>> FirstBlockCache(threshold=0.2).schemes()[0].site
        Blocks(first=1, last=0)
    """

    name: ClassVar[str] = "firstblockcache"

    threshold: float = 0.05
    align_steps: int = 1

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        check_align_steps(self.align_steps, minimum=1)

    def schemes(self) -> tuple[Scheme, ...]:
        """One decision per guidance branch, after the first block."""
        gate = add_guards(SignalDistanceGate(threshold=self.threshold), align_steps=self.align_steps, last_step=False)
        return (Scheme(Blocks(first=1), gate, ResidualHold(), False, None, "first_residual"),)
