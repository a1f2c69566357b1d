"""Predictions that build on predictions: a weighted sum of the outputs of all steps before, whichever way they came.

    y_i ~ sum over j < i of w[i][j] y_j

A predicted output is such a sum itself, so every one comes down to a sum of computed outputs: those alone are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from navicache.policies.fixed import IndexGate
from navicache.policies.predictors import OUTPUT
from navicache.policies.protocols import Outcome, Step, Weights

Table = tuple[tuple[float, ...], ...]  # of step 1, of step 2, ...: the weights of all outputs before, the oldest first


@dataclass(frozen=True)
class Recurrence:
    """Predict by a table; it keeps every computed output of a run.

    Example:
        >>> line = Recurrence(((1.0,), (-1.0, 2.0), (0.0, -1.0, 2.0)))  # 2 y_(i-1) - y_(i-2), from step 2 on
        >>> line.weights(None, Step(index=3, own_index=3, gaps=(2, 1)))  # steps 1 and 0 were computed
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    products: bool = field(default=False, init=False)
    keeps_inputs: bool = field(default=False, init=False)
    keeps_missed: bool = field(default=False, init=False)

    table: Table

    @property
    def order(self) -> int:
        """All there can be before the last step of the table."""
        return max(2, len(self.table))

    def init(self) -> None:
        """Nothing to remember: the steps that were computed tell the others."""

    def weights(self, state: None, step: Step) -> Weights:
        """The row of this step, in computed outputs."""
        del state
        if not step.gaps or not 0 < step.own_index <= len(self.table):
            return OUTPUT
        computed = [step.own_index - back for back in accumulate(step.gaps)]
        return Weights(0.0, tuple((0.0, share) for share in unrolled(self.table, step.own_index, computed)))

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


def unrolled(table: Table, index: int, computed: Sequence[int]) -> list[float]:
    """The row of a step as weights of the computed outputs, newest first.

    What came before the oldest of them is lost (an engine may begin anew within a run), and stands as that one.

    Example:
        >>> unrolled(((1.0,), (-1.0, 2.0), (0.0, -1.0, 2.0)), 3, [1, 0])
        [3.0, -2.0]
    """
    shares = list(table[index - 1])
    for step in range(index - 1, computed[-1], -1):
        if step not in computed:
            for before, weight in enumerate(table[step - 1]):
                shares[before] += shares[step] * weight
    lost = sum(shares[: computed[-1]])
    return [shares[step] + (lost if step == computed[-1] else 0.0) for step in computed]


@dataclass(frozen=True, kw_only=True)
class TableGate(IndexGate):
    """Compute the steps of a list, and what lies beyond the table."""

    at: frozenset[int]
    steps: int  # of the table

    def due(self, step: Step) -> bool:
        """Steps are counted as outputs are: from the first that this engine saw."""
        return step.own_index in self.at or step.own_index >= self.steps
