"""Scalar parts of the predictors: which weighted sum of what is kept stands for the output."""

from dataclasses import dataclass

from navicache.policies.protocols import Outcome, Products, Step, Weights

RESIDUAL = Weights(1.0, ((-1.0, 1.0),))
OUTPUT = Weights(0.0, ((0.0, 1.0),))


@dataclass(frozen=True)
class ResidualHold:
    """y_i ~ x_i + (y_j - x_j): what EasyCache and the official NaviCache code return on reuse.

    Example:
        >>> ResidualHold().weights(None, Step(index=3, own_index=3))
        Weights(input=1.0, references=((-1.0, 1.0),), missed=0.0)
    """

    order: int = 1
    products: Products = "none"
    keeps_inputs: bool = False
    keeps_missed: bool = False

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> Weights:
        """The residual of the last computed step, added to the input."""
        del state, step
        return RESIDUAL

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

    order: int = 1
    products: Products = "none"
    keeps_inputs: bool = False
    keeps_missed: bool = False

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> Weights:
        """The output of the last computed step."""
        del state, step
        return OUTPUT

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome
