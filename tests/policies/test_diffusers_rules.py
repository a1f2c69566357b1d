"""Our rules beside the code of diffusers' hooks themselves, on arrays: SeaCache's gate and TaylorSeer's forecast."""

import numpy as np
import pytest
import torch
from diffusers.hooks import sea_cache
from diffusers.hooks.taylorseer_cache import TaylorSeerState
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.drive import Single, drive
from tests.policies.trajectories import smooth

from navicache.policies import SeaCache, TaylorSeer

STEPS = 30


@limits(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 3), st.integers(0, 1000))
def test_taylorseer_forecasts(interval, align_steps, order, seed):
    video = smooth(seed, steps=STEPS)
    seen = drive(Single(TaylorSeer(interval, align_steps, order).schemes()[0]), video)
    state, returned = TaylorSeerState(torch.float64, order), []
    for computed, (_, y) in zip(seen.computed, video, strict=True):
        state.current_step += 1
        if computed:
            state.update((torch.tensor(y),))
        returned.append(y if computed else state.predict()[0].numpy())
    np.testing.assert_allclose(seen.returned, returned, rtol=1e-6, atol=1e-8)


@limits(deadline=None, max_examples=40)
@given(st.floats(0.02, 0.3), st.integers(1, 4), st.integers(0, 3), st.integers(1, 4), st.integers(0, 1000))
def test_seacache_decisions(threshold, first, end, most, seed):
    video = smooth(seed, steps=STEPS)
    config = sea_cache.SeaCacheConfig(
        threshold=threshold, retention_steps=first, cache_end_steps=end, max_consecutive_cached=most
    )
    shared, context, computed = sea_cache.SeaCacheSharedState(), sea_cache.SeaCacheContextState(), []
    for i, (x, _) in enumerate(video):
        told = sea_cache._SeaCacheForwardMetadata(i, 1 - i / STEPS, STEPS)
        computed.append(shared.resolve_gate(context, told, [torch.tensor(x, dtype=torch.float32)], config))
        context.consecutive_cached = 0 if computed[-1] else context.consecutive_cached + 1
    ours = drive(SeaCache(threshold, align_steps=first, end_steps=end, longest_reuse=most), video)
    assert ours.computed == computed


@pytest.mark.parametrize("exponent", [1.0, 3.0])
def test_the_signal_knows_its_exponent(exponent):
    assert SeaCache(exponent=exponent).schemes()[0].signal.exponent == exponent
