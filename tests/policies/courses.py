"""Outputs along a course, for predictors to carry on: polynomials, a line, a random walk."""

import numpy as np
from hypothesis import strategies as st
from tests.policies.drive import Kept

from navicache.policies import Step

gap_lists = st.lists(st.integers(1, 9), min_size=4, max_size=4)
NOBODY = np.zeros((2, 3))


def at(gaps) -> Step:
    return Step(index=50, local_index=50, gap=gaps[0] if gaps else 0, gaps=tuple(gaps))


def polynomial(degree: int, seed: int = 0):
    """An output that is a polynomial in the step index, another one in every place."""
    factors = np.random.default_rng(seed).normal(size=(degree + 1, 2, 3))
    return lambda i: sum(factor * (i / 10) ** power for power, factor in enumerate(factors))


def kept_at(course, gaps) -> list[Kept]:
    """The outputs before step 50, newest first."""
    steps = 50 - np.cumsum(gaps)
    return [Kept(int(i), NOBODY, course(i)) for i in steps]


def line(i: int):
    return np.outer([1.0, -2.0, 3.0, 0.5], np.linspace(1, 2, 64)) * (1 + 0.3 * i)


def jumps(seed: int, total: int = 60, width: int = 1024):
    """A random walk: no move says anything about the next."""
    steps = np.random.default_rng(seed).normal(size=(total, 4, width)).cumsum(0)
    return lambda i: steps[i]


def irregular(total: int, seed: int = 0) -> set[int]:
    rng = np.random.default_rng(seed)
    return {0, 1, 2, 3, *np.cumsum(rng.integers(1, 5, size=total)).tolist()}
