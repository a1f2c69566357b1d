"""One gate for each sample of a batch, so that one call of a pipeline holds many settings."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from navicache.policies import Decision, Gate, Outcome, Scheme, Step
from navicache.policies.protocols import Measurement, RowRule, StreamRule


class SampleState(NamedTuple):
    """The state of the sample's own gate, and which sample that is."""

    sample: int
    inner: Any


@dataclass(frozen=True)
class SampleGates:
    """One gate for each sample of a batch, all of one class: until samples are known apart they share a state."""

    streams: StreamRule = field(default="lead", init=False)
    rows: RowRule = field(default="sample", init=False)

    gates: tuple[Gate[Any], ...]

    @property
    def reads(self) -> frozenset[Measurement]:
        """What any of them reads."""
        return frozenset().union(*(gate.reads for gate in self.gates))

    def init(self) -> SampleState:
        """The state of the first."""
        return SampleState(0, self.gates[0].init())

    def decide(self, state: SampleState, step: Step) -> tuple[Decision, SampleState]:
        """As the sample's own gate does."""
        decision, inner = self.gates[step.sample].decide(state.inner, step)
        return decision, SampleState(step.sample, inner)

    def learn(self, state: SampleState, outcome: Outcome) -> SampleState:
        """As the sample's own gate does."""
        return state._replace(inner=self.gates[state.sample].learn(state.inner, outcome))

    def explain(self, state: SampleState) -> dict[str, float]:
        """Show nothing."""
        del state
        return {}


@dataclass(frozen=True)
class SharedCall:
    """A policy for one batch: the scheme of its first sample, with the gate of each."""

    name: ClassVar[str] = "shared call"
    align_steps: ClassVar[int | None] = None

    sample_schemes: tuple[Scheme, ...]

    def schemes(self) -> tuple[Scheme, ...]:
        """The one scheme."""
        gates = SampleGates(tuple(scheme.gate for scheme in self.sample_schemes))
        return (replace(self.sample_schemes[0], gate=gates, monitor=None),)
