"""Scalar parts of the predictors: which weighted sum of what is kept stands for the output."""

from dataclasses import dataclass, field

from navicache.policies.protocols import Outcome, Step, PredictionWeights

RESIDUAL_HOLD_WEIGHTS = PredictionWeights(1.0, ((-1.0, 1.0),))
OUTPUT_HOLD_WEIGHTS = PredictionWeights(0.0, ((0.0, 1.0),))


@dataclass(frozen=True)
class ResidualHold:
    """y_i ~ x_i + (y_j - x_j): what EasyCache and the official NaviCache code return on reuse.

    Example:
        >>> ResidualHold().weights(None, Step(index=3, own_index=3))
        Weights(input=1.0, references=((-1.0, 1.0),), missed=0.0)
    """

    history_length: int = field(default=1, init=False)
    needs_inner_products: bool = field(default=False, init=False)
    needs_past_inputs: bool = field(default=False, init=False)
    needs_last_error: bool = field(default=False, init=False)

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The residual of the last computed step, added to the input."""
        del state, step
        return RESIDUAL_HOLD_WEIGHTS

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


@dataclass(frozen=True)
class OutputHold:
    """y_i ~ y_j: the "cached feature" of the paper's text.

    Example:
        >>> OutputHold().weights(None, Step(index=3, own_index=3))
        Weights(input=0.0, references=((0.0, 1.0),), missed=0.0)
    """

    history_length: int = field(default=1, init=False)
    needs_inner_products: bool = field(default=False, init=False)
    needs_past_inputs: bool = field(default=False, init=False)
    needs_last_error: bool = field(default=False, init=False)

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The output of the last computed step."""
        del state, step
        return OUTPUT_HOLD_WEIGHTS

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


@dataclass(frozen=True)
class PolynomialExtrapolation:
    """Extrapolate through the newest computed outputs, undamped: order 0 holds, 1 is a line, 2 a parabola.

    Example:
        >>> PolynomialExtrapolation(1).weights(None, Step(index=6, own_index=6, gaps=(2, 1)))
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    needs_inner_products: bool = field(default=False, init=False)
    needs_past_inputs: bool = field(default=False, init=False)
    needs_last_error: bool = field(default=False, init=False)

    degree: int = 1

    @property
    def history_length(self) -> int:
        """As many outputs as the polynomial has coefficients."""
        return self.degree + 1

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """Lagrange's weights of the outputs at hand."""
        del state
        places = [0]
        for gap in step.gaps[: self.history_length]:
            places.append(places[-1] + gap)
        nodes = places[1:]
        if not nodes:
            return OUTPUT_HOLD_WEIGHTS
        return PredictionWeights(0.0, tuple((0.0, _compute_lagrange_weight(nodes, node)) for node in nodes))

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


def _compute_lagrange_weight(distances: list[int], distance: int) -> float:
    """Weight of the output `node` steps back in the polynomial through all nodes, taken at 0."""
    weight = 1.0
    for other in distances:
        if other != distance:
            weight *= other / (other - distance)
    return weight
