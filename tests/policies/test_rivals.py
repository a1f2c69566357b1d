"""Each rival against a transcription of its rule, on made-up signals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain
from tests.policies.drive import Single, drive
from tests.policies.trajectories import smooth

from navicache.models import published
from navicache.policies import (
    DBCache,
    FirstBlockCache,
    Outcome,
    SeaCache,
    Step,
    TaylorSeer,
    TeaCache,
    build_policy,
)

seeds, noises = st.integers(0, 10_000), st.floats(0.05, 3.0)


def inputs(video):
    return [x for x, _ in video]


def wan_embeddings(steps: int, shift: float, size: float) -> list:
    """Something like a time embedding on Wan's own grid of timesteps; its changes are those the polynomials are for."""
    s = 0.999 * (1 - np.arange(steps) / steps)
    times = (1000 * shift * s / (1 + (shift - 1) * s)).astype(int)
    angles = times[:, None] / 1000 * np.geomspace(1, 30, 16)
    waves = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    mix = np.random.default_rng(0).normal(size=(32, 24))
    return list(1 + size * np.tanh(waves @ mix / 8))


def teacache_decisions(policy: TeaCache, signals: list) -> list[bool]:
    """As the engine would ask: the changes of a signal, step by step."""
    gate = policy.schemes()[0].gate
    state, decisions, gap = gate.init(), [], 0
    for i, now in enumerate(signals):
        step = Step(index=i, own_index=i, total=len(signals), gap=gap)
        if i:
            before = signals[i - 1]
            step = step._replace(since_seen=plain.mean_abs(now - before), seen_size=plain.mean_abs(before))
        verdict, state = gate.decide(state, step)
        if verdict.compute:
            state = gate.learn(state, Outcome(index=i, own_index=i))
        gap = 1 if verdict.compute else gap + 1
        decisions.append(verdict.compute)
    return decisions


@pytest.mark.parametrize("shift", [1.0, 3.0, 5.0])
@pytest.mark.parametrize("steps", [20, 50])
@pytest.mark.parametrize("model", ["T2V-1.3B", "T2V-14B", "I2V-14B-480P", "I2V-14B-720P"])
@pytest.mark.parametrize("retained", [False, True])
def test_teacache_on_wan(model, retained, steps, shift):
    """Both branches decide alike, for the time is all they look at: one table for every prompt and seed."""
    signals = wan_embeddings(steps, shift, size=0.1 if retained else 0.5 if "1.3B" in model else 2.0)
    for preset in published("teacache", f"Wan2.1-{model}{', retention' if retained else ''}").values():
        policy = build_policy("teacache", **preset.knobs)
        script = plain.teacache_wan(signals, preset.knobs["coefficients"], policy.threshold, retained)
        assert all(cond == uncond for cond, uncond in script)
        assert steps < 50 or not all(cond for cond, _ in script)
        assert teacache_decisions(policy, signals) == [cond for cond, _ in script]


@limits(deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=5, max_size=5), st.floats(0.001, 1), seeds, st.booleans())
def test_teacache_with_any_polynomial(coefficients, tau, seed, retained):
    """Sums below zero included: the polynomial is not clamped."""
    signals = inputs(smooth(seed, steps=25))
    policy = TeaCache(tau, tuple(coefficients), align_steps=5 if retained else 1, last_step=not retained)
    script = plain.teacache_wan(signals, coefficients, tau, retained)
    assert teacache_decisions(policy, signals) == [cond for cond, _ in script]
    assert drive(policy, smooth(seed, steps=25)).computed == [cond for cond, _ in script]


@limits(deadline=None)
@given(st.floats(0.005, 0.3), seeds, noises)
def test_first_block_cache(tau, seed, noise):
    video = smooth(seed, steps=30, noise=noise)
    assert drive(FirstBlockCache(threshold=tau), video).computed == plain.first_block(inputs(video), tau)


limit = st.none() | st.integers(0, 6)


@limits(max_examples=300, deadline=None)
@given(
    st.sampled_from([0.0, 0.02, 0.05, 0.1, 0.3, 1.0, 1.5]),
    st.integers(1, 9),
    st.integers(1, 3),
    limit,
    limit,
    st.none() | st.floats(0, 0.5),
    seeds,
    noises,
)
def test_dbcache(tau, warm, interval, most, row, total, seed, noise):
    video = smooth(seed, steps=40, noise=noise)
    given_limits = {"most": most, "row": row, "total": total}
    options = {name: value for name, value in given_limits.items() if value is not None}
    policy = DBCache(
        tau,
        align_steps=warm,
        align_interval=interval,
        most_reused=most,
        longest_reuse=row,
        most_accumulated=total,
    )
    assert drive(policy, video).computed == plain.dbcache(inputs(video), tau, warm, interval=interval, **options)


@limits(deadline=None)
@given(st.integers(1, 7), st.integers(1, 6), st.integers(0, 4), st.none() | st.integers(0, 30), seeds)
def test_taylorseer(interval, warm, order, stop, seed):
    video = smooth(seed, steps=30)
    steps, returned = plain.taylorseer([y for _, y in video], interval, warm, order, stop)
    policy = TaylorSeer(interval, warm, order, stop)
    for scheme in policy.schemes():
        seen = drive(Single(scheme), video)
        assert seen.computed == steps
        np.testing.assert_allclose(seen.returned, returned, rtol=1e-9, atol=1e-9)


@limits(deadline=None)
@given(st.floats(0.01, 0.5), st.integers(1, 5), st.integers(0, 4), st.integers(1, 5), seeds, noises)
def test_seacache(tau, first, end, most, seed, noise):
    video = smooth(seed, steps=30, noise=noise)
    policy = SeaCache(tau, align_steps=first, end_steps=end, longest_reuse=most)
    steps = plain.seacache([x[None] for x in inputs(video)], tau, first, end, most)
    assert drive(policy, video).computed == steps


@pytest.mark.parametrize("order", [0, 1])
@limits(deadline=None)
@given(seeds)
def test_seacache_returns_the_residual_on_a_line(order, seed):
    video = smooth(seed, steps=30, noise=0.5)
    seen = drive(SeaCache(threshold=0.06, order=order), video)
    assert not all(seen.computed)
    returned = plain.seacache_residuals(inputs(video), [y for _, y in video], seen.computed, order)
    np.testing.assert_allclose(seen.returned, returned, rtol=1e-9, atol=1e-9)


def test_seacache_takes_the_mean_over_samples():
    """Two samples that change by 10 and 30 percent are at 0.2, however large they are."""
    gate = SeaCache(threshold=0.25).schemes()[0].gate
    step = Step(index=1, own_index=1, total=9, gap=1, since_seen=10.0, seen_size=1.0, relative_seen=0.2)
    state = gate.learn(gate.init(), Outcome(index=0, own_index=0))
    verdict, state = gate.decide(state, step)
    assert not verdict.compute
    assert gate.decide(state, step._replace(index=2, own_index=2, gap=2))[0].compute


@pytest.mark.parametrize("predictor", ["residual", "dead_reckoning", "taylor"])
def test_seacache_with_other_predictors(predictor):
    """The gate is the same, what it returns is not."""
    own, other = (drive(SeaCache(0.06, predictor=name), smooth(3)) for name in ("residual", predictor))
    assert own.marks == other.marks
    assert np.allclose(own.returned, other.returned) == (predictor == "residual")
