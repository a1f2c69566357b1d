"""A gate and a predictor that stand in for real ones."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from navicache.policies import IndexGate, Step
from navicache.policies.protocols import Measurement, RowRule, StreamRule


@dataclass(frozen=True)
class Told(IndexGate):
    """Computes the steps it is told, and learns at once; a test may choose what are facts of a real gate.

    Example:
        >>> gate = Told(steps=(0, 3), rows="sample")
        >>> [gate.decide(None, Step(index=i, local_index=i))[0].compute for i in range(4)], gate.rows
        ([True, False, False, True], 'sample')
    """

    rows: RowRule = "call"
    streams: StreamRule = "lead"
    reads: frozenset[Measurement] = frozenset({"since_seen"})
    steps: Collection[int] = ()

    def is_scheduled(self, step: Step) -> bool:
        return step.index in self.steps


@dataclass
class Watched:
    """A predictor whose states are written down."""

    inside: Any
    states: list[Any]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def learn(self, state: Any, outcome: Any) -> Any:
        self.states.append(self.inside.learn(state, outcome))
        return self.states[-1]
