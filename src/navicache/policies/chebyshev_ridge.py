"""Spectrum's forecast (arXiv:2603.01623; hanjq17/Spectrum f7b7841f, basis_utils.py): a ridge fit over the whole run.

    tau_j = 2j / span - 1,   X[j][m] = T_m(tau_j),   (X'X + lambda I) c = (T_0(tau_i), ..., T_M(tau_i))
    y_i ~ w sum over j of (X c)_j y_j + (1 - w) (y_j + (y_j - y_k) (i - j) / (j - k))

j are the computed steps, j and k in the second term the two newest, T_m Chebyshev's polynomials. w = 1 is the paper;
its authors recommend 0.5 to 1 since. The official code fits coefficients to the features and rounds them and tau to
bfloat16. Weights of the outputs are the same sum, here without rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS, StatelessPredictor
from navicache.policies.protocols import PredictionWeights, Step


@dataclass(frozen=True)
class ChebyshevRidge(StatelessPredictor):
    """Forecasts with a polynomial that is fitted to all kept outputs, mixed with a line through the two newest.

    Example:
        >>> line = ChebyshevRidge(share=0.0).weights(None, Step(index=6, local_index=6, gaps=(2, 1, 1)))
        >>> line.references
        ((0.0, 3.0), (0.0, -2.0), (0.0, 0.0))
    """

    degree: int = 4  # M
    ridge: float = 0.1  # lambda
    share: float = 0.5  # w, of the polynomial
    span: int = 50  # steps from tau = -1 to 1
    history: int = 100  # K

    @property
    def history_length(self) -> int:
        """All computed outputs that the fit uses."""
        return self.history

    def weights(self, state: None, step: Step) -> PredictionWeights:
        """The two forecasts as weights of the kept outputs."""
        del state
        gaps = step.gaps[: self.history_length]
        if not gaps:
            return OUTPUT_HOLD_WEIGHTS
        computed = tuple(step.local_index - back for back in accumulate(gaps))
        fitted = compute_ridge_weights(computed, step.local_index, self.degree, self.ridge, self.span)
        reach = gaps[0] / gaps[1] if len(gaps) > 1 else 0.0
        line = (1 + reach, -reach, *[0.0] * len(gaps))
        mixed = (self.share * a + (1 - self.share) * b for a, b in zip(fitted, line, strict=False))
        return PredictionWeights(0.0, tuple((0.0, weight) for weight in mixed))


@lru_cache(maxsize=1024)
def compute_ridge_weights(
    computed: tuple[int, ...], index: int, degree: int, ridge: float, span: int
) -> tuple[float, ...]:
    """Weights of the computed outputs in the fitted value at a step.

    Example:
        >>> compute_ridge_weights((1, 0), 2, 0, 1.0, 50)  # a constant, shrunk towards 0
        (0.3333333333333333, 0.3333333333333333)
    """
    rows = [evaluate_chebyshev(2 * step / span - 1, degree) for step in computed]
    columns = list(zip(*rows, strict=True))
    normal = [[_dot(a, b) + (ridge if m == n else 0.0) for n, b in enumerate(columns)] for m, a in enumerate(columns)]
    coefficients = solve_positive(normal, evaluate_chebyshev(2 * index / span - 1, degree))
    return tuple(_dot(row, coefficients) for row in rows)


def evaluate_chebyshev(tau: float, degree: int) -> list[float]:
    """T_0 to T_degree: T_(m+1) = 2 tau T_m - T_(m-1).

    Example:
        >>> evaluate_chebyshev(0.5, 3)
        [1.0, 0.5, -0.5, -1.0]
    """
    values = [1.0, tau]
    for _ in range(degree - 1):
        values.append(2 * tau * values[-1] - values[-2])
    return values[: degree + 1]


def solve_positive(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a small system with a positive definite matrix, by elimination without pivots.

    Example:
        >>> solve_positive([[4.0, 2.0], [2.0, 3.0]], [8.0, 8.0])
        [1.0, 2.0]
    """
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place, pivot in enumerate(rows):
        for row in rows[place + 1 :]:
            share = row[place] / pivot[place]
            row[place:] = [a - share * b for a, b in zip(row[place:], pivot[place:], strict=True)]
    solution: list[float] = []
    for row in reversed(rows):  # each row has one unknown more than the row below
        known = row[len(row) - 1 - len(solution) : -1]
        solution = [(row[-1] - _dot(known, solution)) / row[-2 - len(solution)], *solution]
    return solution


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
