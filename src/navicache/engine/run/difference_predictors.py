"""The predictor that carries differences between guidance branches on: one state for each difference and sample."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.engine.decide.decider import ComputedSteps, StreamDecider
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import Outcome, PredictionWeights, Predictor, find_nonfinite_fields

# A follower by its name; a row of a call by its decider and its place after the sample's first.
DifferenceKey = str | tuple[int, int]


@dataclass
class DifferencePredictors:
    """The predictor states of the differences between guidance branches."""

    predictor: Predictor[Any]
    batch: BatchSamples
    states: dict[DifferenceKey, list[Any]] = field(default_factory=dict)

    def get_or_create_states(self, key: DifferenceKey) -> list[Any]:
        """The states of one difference, sample by sample."""
        found = self.states.get(key)
        if found is None:
            found = self.states[key] = self.batch.create_sample_list(self.predictor.init())
        return found

    def compute_weights(
        self, key: DifferenceKey, decider: StreamDecider, references: Sequence[ComputedSteps]
    ) -> list[PredictionWeights]:
        """How a difference is to be predicted, sample by sample."""
        pairs = zip(self.get_or_create_states(key), references, strict=True)
        return [decider.compute_sample_weights(self.predictor, sample, *pair) for sample, pair in enumerate(pairs)]

    def learn_outcome(self, key: DifferenceKey, sample: int, outcome: Outcome) -> None:
        """Take in what a compute taught of a difference, as far as it is finite."""
        states = self.get_or_create_states(key)
        known = outcome._replace(**dict.fromkeys(find_nonfinite_fields(outcome)))
        states[sample] = self.predictor.learn(states[sample], known)
