"""Predictions that build on predictions: a weighted sum of the outputs of all steps before, whichever way they came.

    y_i ~ sum over j < i of w[i][j] y_j

A predicted output is such a sum itself, so every one comes down to a sum of computed outputs: those alone are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS
from navicache.policies.protocols import Outcome, Step, PredictionWeights

WeightTable = tuple[
    tuple[float, ...], ...
]  # of step 1, of step 2, ...: the weights of all outputs before, the oldest first


@dataclass(frozen=True)
class LinearRecurrence:
    """Predict by a table; it keeps every computed output of a run.

    Example:
        >>> line = LinearRecurrence(((1.0,), (-1.0, 2.0), (0.0, -1.0, 2.0)))  # 2 y_(i-1) - y_(i-2), from step 2 on
        >>> line.weights(None, Step(index=3, own_index=3, gaps=(2, 1)))  # table_steps 1 and 0 were computed
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    needs_inner_products: bool = field(default=False, init=False)
    needs_past_inputs: bool = field(default=False, init=False)
    needs_last_error: bool = field(default=False, init=False)

    weight_table: WeightTable

    @property
    def history_length(self) -> int:
        """All there can be before the last step of the table."""
        return max(2, len(self.weight_table))

    def init(self) -> None:
        """Nothing to remember: the steps that were computed tell the others."""

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The row of this step, in computed outputs."""
        del state
        if not step.gaps or not 0 < step.own_index <= len(self.weight_table):
            return OUTPUT_HOLD_WEIGHTS
        computed = [step.own_index - back for back in accumulate(step.gaps)]
        return PredictionWeights(
            0.0,
            tuple((0.0, share) for share in expand_to_computed_outputs(self.weight_table, step.own_index, computed)),
        )

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


def expand_to_computed_outputs(table: WeightTable, index: int, computed_steps: Sequence[int]) -> list[float]:
    """The row of a step as weights of the computed outputs, newest first.

    What came before the oldest of them is lost (an engine may begin anew within a run), and stands as that one.

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
    """Compute the steps of a list, and what lies beyond the table."""

    computed_steps: frozenset[int]
    table_steps: int  # of the table

    def is_scheduled(self, step: Step) -> bool:
        """Steps are counted as outputs are: from the first that this engine saw."""
        return step.own_index in self.computed_steps or step.own_index >= self.table_steps
