"""TeaCache against a transcription of its script."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.models import load_published_presets
from navicache.policies import Outcome, Step, TeaCache, build_policy


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
        step = Step(index=i, local_index=i, total=len(signals), gap=gap)
        if i:
            before = signals[i - 1]
            step = step._replace(since_seen=plain.mean_abs(now - before), seen_magnitude=plain.mean_abs(before))
        decision, state = gate.decide(state, step)
        if decision.compute:
            state = gate.learn(state, Outcome(index=i, local_index=i))
        gap = 1 if decision.compute else gap + 1
        decisions.append(decision.compute)
    return decisions


@pytest.mark.parametrize("shift", [1.0, 3.0, 5.0])
@pytest.mark.parametrize("steps", [20, 50])
@pytest.mark.parametrize("model", ["T2V-1.3B", "T2V-14B", "I2V-14B-480P", "I2V-14B-720P"])
@pytest.mark.parametrize("retained", [False, True])
def test_teacache_on_wan(model, retained, steps, shift):
    """Both branches decide alike, for the time is all they look at: one table for every prompt and seed."""
    signals = wan_embeddings(steps, shift, size=0.1 if retained else 0.5 if "1.3B" in model else 2.0)
    for preset in load_published_presets("teacache", f"Wan2.1-{model}{', retention' if retained else ''}").values():
        policy = build_policy("teacache", **preset.knobs)
        script = plain.teacache_wan(signals, preset.knobs["coefficients"], policy.threshold, retained)
        assert all(cond == uncond for cond, uncond in script)
        assert steps < 50 or not all(cond for cond, _ in script)
        assert teacache_decisions(policy, signals) == [cond for cond, _ in script]


@limits(deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=5, max_size=5), st.floats(0.001, 1), st.integers(0, 10_000), st.booleans())
def test_teacache_with_any_polynomial(coefficients, tau, seed, retained):
    """Sums below zero included: the polynomial is not clamped."""
    signals = [x for x, _ in smooth(seed, steps=25)]
    policy = TeaCache(tau, tuple(coefficients), align_steps=5 if retained else 1, last_step=not retained)
    script = plain.teacache_wan(signals, coefficients, tau, retained)
    assert teacache_decisions(policy, signals) == [cond for cond, _ in script]
    assert drive(policy, smooth(seed, steps=25)).computed == [cond for cond, _ in script]
