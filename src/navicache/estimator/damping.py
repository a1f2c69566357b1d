"""What a computed step says about the prediction it replaced: the best damping.

With moves m_0 = y_i - y_j and m_1 = y_j - y_k between computed outputs, g_0 and g_1 steps apart, the output is
predicted along b = m_1 g_0 / g_1, the newest slope carried on. When the truth is known, least squares tell how much of
it would have been best. Only inner products enter.
"""

from collections.abc import Sequence

GramMatrix = Sequence[Sequence[float]]


def compute_extrapolation_factor(gaps: Sequence[int]) -> float:
    """How far the newest slope carries: g_0 / g_1.

    Example:
        >>> compute_extrapolation_factor((3, 2))
        1.5
    """
    return gaps[0] / gaps[1]


def fit_damping(inner_products: GramMatrix, gaps: Sequence[int]) -> float | None:
    """The share a of the slope that would have been best: <m_0, b> / <b, b>; None where nothing moved.

    Example:
        >>> fit_damping([[4.0, 1.0], [1.0, 0.5]], gaps=(2, 1))
        1.0
    """
    reach = compute_extrapolation_factor(gaps)
    size = inner_products[1][1] * reach
    return inner_products[0][1] / size if size > 0 else None
