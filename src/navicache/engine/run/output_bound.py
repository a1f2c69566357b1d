"""Holds one further output to the error that its policy allows: the gate decides for it on measurements of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import Gate, Outcome, Step


@dataclass
class OutputBound:
    """The gate's states of one output, sample by sample."""

    gate: Gate[Any]
    batch: BatchSamples
    states: list[Any] = field(init=False)
    magnitudes: list[float | None] = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is measured yet."""
        self.states = self.batch.create_sample_list(self.gate.init())
        self.magnitudes = self.batch.create_sample_list(None)

    def find_exceeded(self, steps: Sequence[Step]) -> Iterator[int]:
        """Samples whose prediction would be farther off than the gate allows. Called once per step."""
        for sample, step in enumerate(steps):
            own_step = step._replace(output_magnitude=self.magnitudes[sample])
            decision, self.states[sample] = self.gate.decide(self.states[sample], own_step)
            if decision.compute:
                yield sample

    def learn_outcome(self, sample: int, outcome: Outcome) -> None:
        """Take in the error at a compute."""
        self.magnitudes[sample] = outcome.output_magnitude
        self.states[sample] = self.gate.learn(self.states[sample], outcome)
