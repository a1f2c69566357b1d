"""The paper's theorem by simulation: random walks, noisy observations, and the mean squared errors of the filter."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from navicache.estimator import RandomWalkFilter, compute_hold_variance, compute_theorem_bound

WALKERS, SETTLE, MEASURE = 50_000, 60, 20
LEVELS = (0.005, 0.05, 0.5)


class Errors(NamedTuple):
    posterior: float
    prior: float
    hold: float
    hold_long: float


def _simulate(q: float, r: float) -> Errors:
    rng = np.random.default_rng(20260615)
    walk: Any = RandomWalkFilter(q, r, epsilon=0.0)  # Any: the means are arrays here, one entry per walker
    ratio = rng.normal(0.0, 1.0, WALKERS)
    belief = walk.start(np.zeros(WALKERS))
    seen: list[Any] = []
    sums = np.zeros(4)
    for step in range(SETTLE + MEASURE):
        ratio += rng.normal(0.0, np.sqrt(q), WALKERS)
        prior = walk.predict(belief, None)
        z = ratio + rng.normal(0.0, np.sqrt(r), WALKERS)
        belief, _ = walk.correct(prior, z, None)
        if step >= SETTLE:
            estimates = (belief.mean, prior.mean, seen[-1], seen[-3])
            sums += [np.mean((estimate - ratio) ** 2) for estimate in estimates]
        seen.append(z)
    return Errors(*(sums / MEASURE).tolist())


@pytest.mark.parametrize("r", LEVELS)
@pytest.mark.parametrize("q", LEVELS)
def test_errors_meet_the_theory(q: float, r: float):
    errors, bound = _simulate(q, r), compute_theorem_bound(q, r)
    assert errors.posterior == pytest.approx(bound.posterior, rel=0.02)
    assert errors.prior == pytest.approx(bound.prior, rel=0.02)
    assert errors.hold == pytest.approx(bound.hold, rel=0.02)
    assert errors.hold_long == pytest.approx(compute_hold_variance(q, r, gap=3), rel=0.02)
    # the theorem, measured on the same walks: for Q = 100 R the margin is only 0.01 % of Q + R
    assert errors.posterior < errors.prior < errors.hold
    assert bound.posterior < bound.prior < bound.hold == q + r
