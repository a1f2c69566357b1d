"""Predictions as weighted sums of the outputs of all earlier steps, computed or predicted.

    y_i ~ sum over j < i of w[i][j] y_j

A predicted output is such a sum too, so every prediction is a sum of computed outputs, and only those are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS, StatelessPredictor
from navicache.policies.protocols import PredictionWeights, Step

# one row per step from step 1 on: the weights of all earlier outputs, the oldest first
WeightTable = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class LinearRecurrence(StatelessPredictor):
    """Predicts with a table of weights; needs every computed output of a run.

    Example:
        >>> line = LinearRecurrence(((1.0,), (-1.0, 2.0), (0.0, -1.0, 2.0)))  # 2 y_(i-1) - y_(i-2), from step 2 on
        >>> line.weights(None, Step(index=3, local_index=3, gaps=(2, 1)))  # steps 1 and 0 were computed
        PredictionWeights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), error_weight=0.0)
    """

    weight_table: WeightTable

    @property
    def history_length(self) -> int:
        """As many outputs as there are before the last step of the table."""
        return max(2, len(self.weight_table))

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The row of this step as weights of computed outputs."""
        del state
        if not step.gaps or not 0 < step.local_index <= len(self.weight_table):
            return OUTPUT_HOLD_WEIGHTS
        computed = [step.local_index - back for back in accumulate(step.gaps)]
        return PredictionWeights(
            0.0,
            tuple((0.0, share) for share in expand_to_computed_outputs(self.weight_table, step.local_index, computed)),
        )


def expand_to_computed_outputs(table: WeightTable, index: int, computed_steps: Sequence[int]) -> list[float]:
    """Rewrite the row of a step as weights of the computed outputs, newest first.

    Outputs before the oldest computed one are lost (an engine can restart within a run); the oldest replaces them.

    Example:
        >>> expand_to_computed_outputs(((1.0,), (-1.0, 2.0), (0.0, -1.0, 2.0)), 3, [1, 0])
        [3.0, -2.0]
    """
    shares = list(table[index - 1])
    for step in range(index - 1, computed_steps[-1], -1):
        if step not in computed_steps:
            for before, weight in enumerate(table[step - 1]):
                shares[before] += shares[step] * weight
    lost = sum(shares[: computed_steps[-1]])
    return [shares[step] + (lost if step == computed_steps[-1] else 0.0) for step in computed_steps]


@dataclass(frozen=True, kw_only=True)
class TableStepsGate(IndexGate):
    """Computes the steps of a list and all steps beyond the table."""

    computed_steps: frozenset[int]
    table_steps: int

    def is_scheduled(self, step: Step) -> bool:
        """Whether to compute; steps are counted like outputs, from the first step of this engine."""
        return step.local_index in self.computed_steps or step.local_index >= self.table_steps
