"""TaylorSeer's forecast (arXiv:2503.06923; diffusers, taylorseer_cache.py): a series whose derivatives are differences.

    F_0 = y_j;    F_(k+1) = (F_k - F_k of the compute before) / (steps between the two);    y_i ~ sum F_k (i-j)^k / k!

Each difference is divided by the newest gap alone, so from order 2 on this is not the polynomial through the outputs:
that is `PolynomialExtrapolation` in predictors.py. HiCache (hicache.py) has Hermite polynomials in place of the powers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import factorial
from typing import Literal

from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS, RESIDUAL_HOLD_WEIGHTS, StatelessPredictor
from navicache.policies.protocols import PredictionWeights, Step


@dataclass(frozen=True)
class FiniteDifferences(StatelessPredictor):
    """Forecast from the finite differences of computed outputs or residuals.

    Example:
        >>> FiniteDifferences(1).weights(None, Step(index=6, local_index=6, gaps=(2, 4)))
        PredictionWeights(input=0.0, references=((0.0, 1.5), (0.0, -0.5)), error_weight=0.0)
        >>> FiniteDifferences(1, target="residual").weights(None, Step(index=6, local_index=6, gaps=(2, 4)))
        PredictionWeights(input=1.0, references=((-1.5, 1.5), (0.5, -0.5)), error_weight=0.0)
    """

    degree: int = 1
    target: Literal["output", "residual"] = "output"
    ignored_until_step: int = 0  # computed steps up to this one form no differences: 1 in cache-dit
    hermite_scale: float | None = None  # of HiCache's polynomials; None: powers, as TaylorSeer

    @property
    def history_length(self) -> int:
        """Each difference needs one more computed step."""
        return self.degree + 1

    @property
    def needs_past_inputs(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """A residual is an output minus its input."""
        return self.target == "residual" and self.degree > 0

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The series as weights of the kept outputs."""
        del state
        if not step.gaps:
            return RESIDUAL_HOLD_WEIGHTS if self.target == "residual" else OUTPUT_HOLD_WEIGHTS
        values = compute_forecast_weights(
            step.gaps[: self.history_length],
            step.local_index - step.gaps[0] - self.ignored_until_step,
            self._list_basis(step.gaps[0]),
        )
        if self.target == "residual":
            return PredictionWeights(1.0, tuple((-value, value) for value in values))
        return PredictionWeights(0.0, tuple((0.0, value) for value in values))

    def _list_basis(self, distance: int) -> list[float]:
        """What multiplies F_1, F_2 and so on."""
        if self.hermite_scale is not None:
            return compute_hermite_basis(distance, self.degree, self.hermite_scale)
        return [distance**k / factorial(k) for k in range(1, self.degree + 1)]


def compute_hermite_basis(distance: float, degree: int, scale: float) -> list[float]:
    """s^k H_k(s x) / k! for k = 1 and on, with the physicists' polynomials: H_(k+1)(z) = 2z H_k(z) - 2k H_(k-1)(z).

    Example:
        >>> compute_hermite_basis(3, 2, 0.5)  # x / 2 and (x^2 - 2) / 8
        [1.5, 0.875]
    """
    z, before, polynomial = scale * distance, 0.0, 1.0
    basis: list[float] = []
    for k in range(1, degree + 1):
        before, polynomial = polynomial, 2 * z * polynomial - 2 * (k - 1) * before
        basis.append(scale**k * polynomial / factorial(k))
    return basis


def compute_forecast_weights(gaps: tuple[int, ...], usable_steps: int, basis: Sequence[float]) -> list[float]:
    """Weights of the computed outputs, newest first; outputs older than `usable_steps` form no differences.

    Example:
        >>> compute_forecast_weights((1, 1, 1), 10, (1.0, 0.5))  # y0 + (y0 - y1) + (y0 - 2 y1 + y2) / 2
        [2.5, -2.0, 0.5]
    """
    nodes = range(len(gaps))
    able = sum(sum(gaps[1 : node + 1]) < usable_steps for node in nodes)  # outputs that form differences
    # F_k of each compute, as weights of the outputs
    factors: list[list[float]] = [[float(node == other) for other in nodes] for node in nodes]
    total = factors[0]
    for reach in basis:
        if not able or len(factors) < 2:
            break
        pairs = list(zip(pairwise(factors), gaps[1:], strict=False))[:able]
        factors = [_divide_difference(new, old, gap) for (new, old), gap in pairs]
        total = [a + reach * b for a, b in zip(total, factors[0], strict=True)]
    return total


def _divide_difference(newer_weights: list[float], older_weights: list[float], gap: int) -> list[float]:
    return [(a - b) / gap for a, b in zip(newer_weights, older_weights, strict=True)]
