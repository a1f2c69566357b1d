"""What a computed step says about the prediction it replaced: the best damping, and how fast errors grow.

With moves m_0 = y_i - y_j, m_1 = y_j - y_k, m_2 = y_k - y_l between computed outputs, g_0, g_1, g_2 steps apart, the
output is predicted from the bases

    b_1 = m_1 g_0 / g_1                          the newest slope, carried on
    b_2 = (m_1 / g_1 - m_2 / g_2) g_0^2 / g_1    its change, carried on

When the truth is known, least squares tell how much of each basis would have been best. Only inner products enter.
"""

from collections.abc import Sequence

RIDGE = 1.02  # on the second basis: two moves in line would otherwise divide by nothing

Gram = Sequence[Sequence[float]]


def slope_reach(gaps: Sequence[int]) -> float:
    """How far the newest slope carries: g_0 / g_1.

    Example:
        >>> slope_reach((3, 2))
        1.5
    """
    return gaps[0] / gaps[1]


def curve_reaches(gaps: Sequence[int]) -> tuple[float, float]:
    """The change of the slope as multiples of m_1 and m_2.

    Example:
        >>> curve_reaches((2, 1, 1))
        (4.0, -4.0)
    """
    scale = gaps[0] ** 2 / gaps[1]
    return scale / gaps[1], -scale / gaps[2]


def best_damping(products: Gram, gaps: Sequence[int]) -> float | None:
    """The share a of the slope that would have been best: <m_0, b_1> / <b_1, b_1>; None where nothing moved.

    Example:
        >>> best_damping([[4.0, 1.0], [1.0, 0.5]], gaps=(2, 1))
        1.0
    """
    reach = slope_reach(gaps)
    size = products[1][1] * reach
    return products[0][1] / size if size > 0 else None


def best_curve(products: Gram, gaps: Sequence[int]) -> tuple[float, float] | None:
    """The shares of slope and curvature that would have been best together, None where nothing moved."""
    reach, (of_new, of_old) = slope_reach(gaps), curve_reaches(gaps)
    slope = products[1][1] * reach**2
    mixed = reach * (of_new * products[1][1] + of_old * products[1][2])
    curve = of_new**2 * products[1][1] + 2 * of_new * of_old * products[1][2] + of_old**2 * products[2][2]
    right_slope = reach * products[0][1]
    right_curve = of_new * products[0][1] + of_old * products[0][2]
    determinant = slope * curve * RIDGE - mixed**2
    if determinant <= 0:
        return None
    first = (right_slope * curve * RIDGE - right_curve * mixed) / determinant
    return first, (right_curve * slope - right_slope * mixed) / determinant
