"""TaylorSeer's forecast (arXiv:2503.06923; diffusers, taylorseer_cache.py): a series whose derivatives are differences.

    F_0 = y_j;    F_(k+1) = (F_k - F_k of the compute before) / (steps between the two);    y_i ~ sum F_k (i-j)^k / k!

Each difference is divided by the newest gap alone, so beyond a line this is not the polynomial through the outputs:
that is `Taylor` of predictors.py.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import factorial
from typing import Literal

from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS, RESIDUAL_HOLD_WEIGHTS
from navicache.policies.protocols import Outcome, Step, PredictionWeights


@dataclass(frozen=True)
class FiniteDifferences:
    """Forecast from the differences of computed outputs, or of what was added to the input.

    Example:
        >>> FiniteDifferences(1).weights(None, Step(index=6, own_index=6, gaps=(2, 4)))
        Weights(input=0.0, references=((0.0, 1.5), (0.0, -0.5)), missed=0.0)
        >>> FiniteDifferences(1, target="residual").weights(None, Step(index=6, own_index=6, gaps=(2, 4)))
        Weights(input=1.0, references=((-1.5, 1.5), (0.5, -0.5)), missed=0.0)
    """

    needs_inner_products: bool = field(default=False, init=False)
    needs_last_error: bool = field(default=False, init=False)

    degree: int = 1
    target: Literal["output", "residual"] = "output"
    ignored_until_step: int = 0  # a compute at this step or before takes no differences: 1 in cache-dit

    @property
    def history_length(self) -> int:
        """Each difference looks one compute further back."""
        return self.degree + 1

    @property
    def needs_past_inputs(self) -> bool:
        """A residual is an output less its input."""
        return self.target == "residual" and self.degree > 0

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The series as multiples of the outputs at hand."""
        del state
        if not step.gaps:
            return RESIDUAL_HOLD_WEIGHTS if self.target == "residual" else OUTPUT_HOLD_WEIGHTS
        values = compute_forecast_weights(
            step.gaps[: self.history_length], step.own_index - step.gaps[0] - self.ignored_until_step
        )
        if self.target == "residual":
            return PredictionWeights(1.0, tuple((-value, value) for value in values))
        return PredictionWeights(0.0, tuple((0.0, value) for value in values))

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


def compute_forecast_weights(gaps: tuple[int, ...], usable_steps: int) -> list[float]:
    """Weights of the computed outputs, newest first; computes `room` steps or more before it take no differences.

    Example:
        >>> compute_forecast_weights((1, 1, 1), 10)  # y0 + (y0 - y1) + (y0 - 2 y1 + y2) / 2
        [2.5, -2.0, 0.5]
    """
    nodes = range(len(gaps))
    able = sum(sum(gaps[1 : node + 1]) < usable_steps for node in nodes)  # computes late enough to take differences
    # F_k of each compute, as weights of the outputs
    factors: list[list[float]] = [[float(node == other) for other in nodes] for node in nodes]
    total, k = factors[0], 0
    while able and len(factors) > 1:
        pairs = list(zip(pairwise(factors), gaps[1:], strict=False))[:able]
        factors = [_divide_difference(new, old, gap) for (new, old), gap in pairs]
        k += 1
        reach = gaps[0] ** k / factorial(k)
        total = [a + reach * b for a, b in zip(total, factors[0], strict=True)]
    return total


def _divide_difference(newer_weights: list[float], older_weights: list[float], gap: int) -> list[float]:
    return [(a - b) / gap for a, b in zip(newer_weights, older_weights, strict=True)]
