"""The predictor that carries differences between guidance branches on: one state for each difference and sample."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.engine.decide.decider import Computed, Decider
from navicache.engine.tracking.batch import Batch
from navicache.policies import Outcome, Predictor, Weights, nonfinite_fields

# A follower by its name; a row of a call by its decider and its place after the sample's first.
Difference = str | tuple[int, int]


@dataclass
class Courses:
    """What is believed of the course of each difference."""

    predictor: Predictor[Any]
    batch: Batch
    states: dict[Difference, list[Any]] = field(default_factory=dict)

    def of(self, difference: Difference) -> list[Any]:
        """The states of one difference, sample by sample."""
        found = self.states.get(difference)
        if found is None:
            found = self.states[difference] = self.batch.per_sample(self.predictor.init())
        return found

    def weights(self, difference: Difference, decider: Decider, references: Sequence[Computed]) -> list[Weights]:
        """How a difference is to be predicted, sample by sample."""
        pairs = zip(self.of(difference), references, strict=True)
        return [decider.weights_of(self.predictor, sample, *pair) for sample, pair in enumerate(pairs)]

    def learn(self, difference: Difference, sample: int, outcome: Outcome) -> None:
        """Take in what a compute taught of a difference, as far as it is finite."""
        states, known = self.of(difference), outcome._replace(**dict.fromkeys(nonfinite_fields(outcome)))
        states[sample] = self.predictor.learn(states[sample], known)
