"""The simple predictors: hold the residual, hold the output, extrapolate a polynomial."""

from dataclasses import dataclass, field
from itertools import accumulate

from navicache.policies.protocols import Outcome, PredictionWeights, Step

RESIDUAL_HOLD_WEIGHTS = PredictionWeights(1.0, ((-1.0, 1.0),))
OUTPUT_HOLD_WEIGHTS = PredictionWeights(0.0, ((0.0, 1.0),))


@dataclass(frozen=True)
class StatelessPredictor:
    """Base class of predictors that learn nothing: the steps alone determine the weights."""

    needs_inner_products: bool = field(default=False, init=False)
    needs_past_inputs: bool = field(default=False, init=False)
    needs_last_error: bool = field(default=False, init=False)

    def init(self) -> None:
        """Return no state."""

    def learn(self, state: None, outcome: Outcome) -> None:
        """Learn nothing."""
        del state, outcome


@dataclass(frozen=True)
class ResidualHold(StatelessPredictor):
    """y_i ~ x_i + (y_j - x_j): what EasyCache and the official NaviCache code return on reuse.

    Example:
        >>> ResidualHold().weights(None, Step(index=3, local_index=3))
        PredictionWeights(input=1.0, references=((-1.0, 1.0),), error_weight=0.0)
    """

    history_length: int = field(default=1, init=False)

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The residual of the last computed step, added to the input."""
        del state, step
        return RESIDUAL_HOLD_WEIGHTS


@dataclass(frozen=True)
class OutputHold(StatelessPredictor):
    """y_i ~ y_j: the "cached feature" of the paper's text.

    Example:
        >>> OutputHold().weights(None, Step(index=3, local_index=3))
        PredictionWeights(input=0.0, references=((0.0, 1.0),), error_weight=0.0)
    """

    history_length: int = field(default=1, init=False)

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The output of the last computed step."""
        del state, step
        return OUTPUT_HOLD_WEIGHTS


@dataclass(frozen=True)
class PolynomialExtrapolation(StatelessPredictor):
    """Extrapolate through the newest computed outputs, undamped: order 0 holds, 1 is a line, 2 a parabola.

    Example:
        >>> PolynomialExtrapolation(1).weights(None, Step(index=6, local_index=6, gaps=(2, 1)))
        PredictionWeights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), error_weight=0.0)
    """

    degree: int = 1

    @property
    def history_length(self) -> int:
        """As many outputs as the polynomial has coefficients."""
        return self.degree + 1

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """Lagrange's weights of the kept outputs."""
        del state
        distances = list(accumulate(step.gaps[: self.history_length]))
        if not distances:
            return OUTPUT_HOLD_WEIGHTS
        return PredictionWeights(0.0, tuple((0.0, _compute_lagrange_weight(distances, back)) for back in distances))


def _compute_lagrange_weight(distances: list[int], distance: int) -> float:
    """Weight of the output `distance` steps back in the polynomial through all outputs, evaluated now."""
    weight = 1.0
    for other in distances:
        if other != distance:
            weight *= other / (other - distance)
    return weight
