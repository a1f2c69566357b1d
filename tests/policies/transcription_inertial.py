"""The rule of `inertial` by threshold, written down a second time and otherwise: lists and arrays, all in one loop.

One damping for the whole sample, no amends, the step index as coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

EPSILON = 1e-8  # as the official code adds it to the innovation's variance


@dataclass
class Log:
    """What happened, step by step."""

    computed: list[bool] = field(default_factory=list)
    damping: list[float] = field(default_factory=list)
    growth: list[float | None] = field(default_factory=list)
    total_error: list[float] = field(default_factory=list)
    returned: list[Any] = field(default_factory=list)


def kalman(x: float, p: float, z: float, q: float, r: float) -> tuple[float, float]:
    p = p + q
    gain = p / (p + r + EPSILON)
    return x + gain * (z - x), (1 - gain) * p


def inertial(xs: Any, ys: Any, *, tau: float, align: int, q: float = 0.05, r: float = 0.05):
    """`ys` are the true outputs; the last step is always computed."""
    log, references = Log(), []
    a, a_variance = 1.0, 1.0
    k, k_variance = None, 1.0
    travelled = error = 0.0
    for i in range(len(xs)):
        d = 0.0
        guess = move = None
        if references:
            j, y_j = references[-1]
            travelled += np.abs(xs[i] - xs[i - 1]).mean()
            d = travelled / np.abs(y_j).mean()
            guess = y_j
            if len(references) > 1:
                before, y_before = references[-2]
                move = (y_j - y_before) / (j - before) * (i - j)
                between = (y_j - y_before) * min(1, (i - j) / (j - before))
                guess = y_j + a * (move if a > 0 else between)
        error += 0.0 if k is None else k * d * d
        log.total_error.append(error)
        reuse = k is not None and error < tau
        computed = not reuse or i < align or i == len(xs) - 1
        if computed:
            y = ys[i]
            if guess is not None and d > 0:
                observed = np.abs(y - guess).mean() / np.abs(y).mean() / d / d
                k, k_variance = (observed, 1.0) if k is None else kalman(k, k_variance, observed, q, r)
            if move is not None and np.vdot(move, move) > 0:
                best = np.vdot(y - y_j, move) / np.vdot(move, move)
                a, a_variance = kalman(a, a_variance, min(max(best, -0.5), 1.3), q, r)
            references.append((i, y))
            travelled = error = 0.0
        log.computed.append(computed)
        log.damping.append(a)
        log.growth.append(k)
        log.returned.append(ys[i] if computed else guess)
    return log
