"""HiCache's and Spectrum's rules as plain loops over arrays, written from their description alone."""

import math
from typing import Any

import numpy as np


def hicache(outputs: Any, interval: int, warm: int, order: int, scale: float) -> tuple[list[bool], list[Any]]:
    """A counter of reuses decides; the factors are kept, and multiplied by numpy's Hermite polynomials."""
    factors: list[Any] = []
    counter, last, steps, returned = 0, 0, [], []
    for i, output in enumerate(outputs):
        compute = i < warm or counter == interval - 1
        if compute:
            new = [output]
            for k in range(min(order, len(factors))):
                if i <= warm - 2:
                    break
                new.append((new[k] - factors[k]) / (i - last))
            factors, last, counter = new, i, 0
            returned.append(output)
        else:
            counter += 1
            polynomials = [
                np.polynomial.hermite.hermval(scale * (i - last), np.eye(k + 1)[k]) for k in range(order + 1)
            ]
            terms = zip(factors, polynomials, strict=False)
            returned.append(sum(f * h * scale**k / math.factorial(k) for k, (f, h) in enumerate(terms)))
        steps.append(compute)
    return steps, returned


def growing_windows(total: int, window: float, growth: float, warm: int) -> list[bool]:
    """Spectrum's counter of reuses against the window, which grows at every compute that it asks for."""
    reused, steps = 0, []
    for i in range(total):
        compute = i < warm
        if not compute and (reused + 1) % math.floor(window) == 0:
            compute, window = True, round(window + growth, 3)
        reused = 0 if compute else reused + 1
        steps.append(compute)
    return steps


def spectrum(outputs: Any, steps: list[bool], degree: int, ridge: float, share: float, history: int = 100) -> list[Any]:
    """Coefficients are fitted to the features themselves, for 50 steps, and the line is taken beside them."""

    def design(times: Any) -> Any:
        return np.polynomial.chebyshev.chebvander((np.asarray(times) - 25.0) * 2 / 50, degree)

    times: list[float] = []
    features: list[Any] = []
    returned = []
    for i, (output, compute) in enumerate(zip(outputs, steps, strict=True)):
        if compute:
            times, features = [*times, float(i)][-history:], [*features, output][-history:]
            returned.append(output)
            continue
        x, h = design(times), np.stack([f.ravel() for f in features])
        coefficients = np.linalg.solve(x.T @ x + ridge * np.eye(degree + 1), x.T @ h)
        fitted = (design([i]) @ coefficients).reshape(output.shape)
        line = features[-1]
        if len(times) > 1:
            line = line + (i - times[-1]) / (times[-1] - times[-2]) * (features[-1] - features[-2])
        returned.append(share * fitted + (1 - share) * line)
    return returned
