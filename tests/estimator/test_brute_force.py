"""The filters against brute force: the joint Gaussian of all states and observations, conditioned in one go."""

from typing import Any

import numpy as np
import pytest

from navicache.estimator import DriftFilter, NoiseSchedule, RandomWalkFilter, evaluate_noise

STEPS = 12
FALLING = NoiseSchedule(((0.1, 0.3), (0.6, 0.02)))
RISING = NoiseSchedule(((0.0, 0.01), (0.5, 0.01), (1.0, 0.4)))
FILTERS = {
    "walk": RandomWalkFilter(),
    "walk, Q << R": RandomWalkFilter(0.005, 0.5, 0.2),
    "walk, R << Q": RandomWalkFilter(0.5, 0.005, 3.0),
    "walk, schedules": RandomWalkFilter(FALLING, RISING),
    "drift": DriftFilter(),
    "drift, still at first": DriftFilter(0.02, 0.1, 0.5, drift_noise=0.002, initial_drift_variance=0.0),
    "drift, schedules": DriftFilter(FALLING, RISING, drift_noise=FALLING),
}


def _model(knobs: Any) -> tuple[Any, Any, Any]:
    """Transition matrix, first covariance and process noise at a progress, written anew from the knobs."""
    if isinstance(knobs, RandomWalkFilter):
        return np.eye(1), np.diag([knobs.initial_variance]), lambda p: np.diag([evaluate_noise(knobs.process_noise, p)])
    first = np.diag([knobs.initial_variance, knobs.initial_drift_variance])
    noises = (knobs.process_noise, knobs.drift_noise)
    return np.array([[1.0, 1.0], [0.0, 1.0]]), first, lambda p: np.diag([evaluate_noise(noise, p) for noise in noises])


def _joint(knobs: Any, mean: float, progress: list[Any]) -> tuple[Any, Any]:
    """Mean and covariance of (s_1 .. s_T, z_1 .. z_T): s = A (s_0, w_1 .. w_T), z = H s + v."""
    transition, first, process = _model(knobs)
    size, steps = len(transition), len(progress)
    power = np.linalg.matrix_power
    rows = [
        [power(transition, t - k) if k <= t else np.zeros((size, size)) for k in range(steps + 1)]
        for t in range(1, steps + 1)
    ]
    sources = np.zeros((size * (steps + 1), size * (steps + 1)))
    for k, block in enumerate([first, *(process(p) for p in progress)]):
        sources[k * size : (k + 1) * size, k * size : (k + 1) * size] = block
    states = np.block(rows)
    seen = states[::size]
    both = np.vstack([states, seen])
    covariance = both @ sources @ both.T
    noise = [evaluate_noise(knobs.measurement_noise, p) + knobs.epsilon for p in progress]
    covariance[size * steps :, size * steps :] += np.diag(noise)
    return both @ np.array([mean] + [0.0] * (len(sources) - 1)), covariance


def _condition(joint: tuple[Any, Any], state: Any, seen: Any, z: Any) -> tuple[Any, Any]:
    mean, covariance = joint
    cross = covariance[np.ix_(state, seen)]
    weights = np.linalg.solve(covariance[np.ix_(seen, seen)], cross.T).T
    return mean[state] + weights @ (z - mean[seen]), covariance[np.ix_(state, state)] - weights @ cross.T


def _flat(belief: Any) -> tuple[Any, Any]:
    if len(belief) == 2:
        return [belief.mean], [[belief.variance]]
    covariance = [[belief.ratio_variance, belief.covariance], [belief.covariance, belief.drift_variance]]
    return [belief.ratio, belief.drift], covariance


def _assert_same(belief: Any, expected: tuple[Any, Any]) -> None:
    for ours, theirs in zip(_flat(belief), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("known", [True, False], ids=["progress", "no progress"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", FILTERS)
def test_every_belief_is_the_conditional(name: str, seed: int, known: bool):
    knobs: Any = FILTERS[name]
    rng = np.random.default_rng(seed)
    ratios, observed = rng.normal(1.5, 0.7, STEPS), rng.random(STEPS) < (0.2, 0.5, 0.8)[seed % 3]
    progress = [t / (STEPS - 1) if known else None for t in range(STEPS)]
    joint = _joint(knobs, 1.2, progress)
    size = len(joint[0]) // STEPS - 1
    belief = knobs.start(1.2)
    for t in range(STEPS):
        state = np.arange(size * t, size * (t + 1))
        past = np.flatnonzero(observed[:t])
        belief = knobs.predict(belief, progress[t])
        _assert_same(belief, _condition(joint, state, size * STEPS + past, ratios[past]))
        if observed[t]:
            belief, gain = knobs.correct(belief, float(ratios[t]), progress[t])
            past = np.append(past, t)
            expected = _condition(joint, state, size * STEPS + past, ratios[past])
            _assert_same(belief, expected)
            noise = evaluate_noise(knobs.measurement_noise, progress[t]) + knobs.epsilon
            assert gain == pytest.approx(expected[1][0, 0] / noise, rel=1e-7)


@pytest.mark.parametrize("name", ["walk, schedules", "drift, schedules"])
def test_the_comparison_can_fail(name: str):
    # brute force with the mean of the schedules must not match the filter that reads them step by step
    knobs: Any = FILTERS[name]
    joint = _joint(knobs, 1.2, [None] * STEPS)
    prior = knobs.predict(knobs.start(1.2), 0.0)
    size = len(joint[0]) // STEPS - 1
    with pytest.raises(AssertionError):
        _assert_same(prior, (joint[0][:size], joint[1][:size, :size]))
