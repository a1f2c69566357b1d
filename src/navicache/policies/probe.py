"""The policy of a calibration: every step is computed, and how much the signal has changed is written down."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from navicache.policies.cache_sites import Blocks, Signal
from navicache.policies.decisions import PlainGate
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.protocols import Decision, Measurement, RowRule, Step, StreamRule


@dataclass(frozen=True)
class ProbeGate(PlainGate[float | None]):
    """Computes every step; its state is the relative change of the signal since the step before."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_seen"}), init=False)

    def init(self) -> float | None:
        """No change before the second step."""

    def decide(self, state: float | None, step: Step) -> tuple[Decision, float | None]:
        """Compute.

        Example:
            >>> ProbeGate().decide(None, Step(index=3, local_index=3, since_seen=1.0, seen_magnitude=4.0))
            (Decision(compute=True, reason='calibration'), 0.25)
        """
        del state
        change = None if step.since_seen is None or not step.seen_magnitude else step.since_seen / step.seen_magnitude
        return Decision(True, "calibration"), change

    def explain(self, state: float | None) -> Mapping[str, float]:
        """The change, if there is one."""
        return {} if state is None else {"predicted_change": state}


@dataclass(frozen=True)
class ProbePolicy:
    """Watches a signal at the blocks and replaces nothing."""

    name: ClassVar[str] = "calibration"
    signal: Signal = "modulated"
    align_steps: int = 0

    def schemes(self) -> tuple[Scheme, ...]:
        """One scheme at all blocks."""
        return (Scheme(Blocks(), ProbeGate(), ResidualHold(), False, None, self.signal),)
