"""Policies that depend on the step index alone: the paper's "static cache" and "random" rows.

Neither has published code (docs/policies.md says what its numbers imply). Here the first and the last step are
computed, all streams share one decision, and a reuse holds the residual.
"""

import math
import random
from dataclasses import dataclass, field
from typing import ClassVar

from navicache.policies.decisions import SCHEDULE_COMPUTE, SCHEDULE_REUSE, PlainGate
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import check_align_steps, check_bool, check_integer, check_number
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.protocols import Decision, Measurement, RowRule, Step, StreamRule


@dataclass(frozen=True)
class IndexGate(PlainGate[None]):
    """A gate that depends on the step index alone. Subclasses override `is_scheduled`."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="lead", init=False)
    reads: frozenset[Measurement] = field(default=frozenset(), init=False)

    def init(self) -> None:
        """Return no state."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Compute if the schedule has this step."""
        return SCHEDULE_COMPUTE if self.is_scheduled(step) else SCHEDULE_REUSE, state

    def is_scheduled(self, step: Step) -> bool:
        """Whether the schedule computes this step."""
        del step
        return True


@dataclass(frozen=True, kw_only=True)
class IntervalGate(IndexGate):
    """Computes the first step of every interval."""

    interval: float

    def is_scheduled(self, step: Step) -> bool:
        """True when index / interval has passed a whole number since the step before."""
        return step.local_index == 0 or step.local_index // self.interval != (step.local_index - 1) // self.interval


@dataclass(frozen=True, kw_only=True)
class RandomGate(IndexGate):
    """Computes with a fixed probability; the draw depends on the seed and the step alone."""

    probability: float
    seed: int

    def is_scheduled(self, step: Step) -> bool:
        """True when this step's own draw falls below the probability."""
        return random.Random(f"{self.seed}:{step.index}").random() < self.probability


@dataclass(frozen=True)
class Static:
    """Compute at a fixed interval.

    Example:
        >>> gate = Static(interval=2.5).schemes()[0].gate
        >>> [gate.decide(None, Step(index=i, local_index=i))[0].compute for i in range(6)]
        [True, False, False, True, False, True]
    """

    name: ClassVar[str] = "static"

    interval: float = 2
    align_steps: int = 1
    last_step: bool = True

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_number("interval", self.interval, 1, math.inf, "1 computes every step")
        check_align_steps(self.align_steps, minimum=1)
        check_bool("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """A fixed schedule with the residual held."""
        gate = add_guards(IntervalGate(interval=self.interval), align_steps=self.align_steps, last_step=self.last_step)
        return (Scheme("model", gate, ResidualHold(), self.last_step, None),)


@dataclass(frozen=True)
class Random:
    """Compute each step with a fixed probability.

    Example:
        >>> Random(probability=1.0).schemes()[0].gate.decide(None, Step(index=7, local_index=7))[0].compute
        True
    """

    name: ClassVar[str] = "random"

    probability: float = 0.5
    seed: int = 0
    align_steps: int = 1
    last_step: bool = True

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_number("probability", self.probability, 0, 1, "1 computes every step")
        check_integer("seed", self.seed)
        check_align_steps(self.align_steps, minimum=1)
        check_bool("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """A drawn schedule with the residual held."""
        gate = add_guards(
            RandomGate(probability=self.probability, seed=self.seed),
            align_steps=self.align_steps,
            last_step=self.last_step,
        )
        return (Scheme("model", gate, ResidualHold(), self.last_step, None),)
