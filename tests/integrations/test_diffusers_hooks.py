"""The rivals against diffusers' own hooks: the same decisions, so the same latents, on the same tiny models."""

import pytest
import torch
from diffusers import FirstBlockCacheConfig, MagCacheConfig, SeaCacheConfig, TaylorSeerCacheConfig
from tests.tiny.cogvideox import COGVIDEOX
from tests.tiny.flux import FLUX
from tests.tiny.hunyuan import HUNYUAN
from tests.tiny.ltx import LTX
from tests.tiny.wan import WAN

import navicache
from navicache.engine.tensors.wiener_filter import apply_wiener_filter

STEPS = 12
FAMILIES = {family.name: family for family in (WAN, HUNYUAN, COGVIDEOX, LTX, FLUX)}
every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
RATIOS = (1.0, 1.02, 1.01, 0.99, 0.985, 0.98, 0.99, 0.975, 0.99, 0.96, 0.95, 0.94)
MODULES = {
    "wan": [r"blocks\.\d+\.attn1", r"blocks\.\d+\.attn2", r"blocks\.\d+\.ffn"],
    "flux": [r"(single_)?transformer_blocks\.\d+\.attn", r"transformer_blocks\.\d+\.(ff|ff_context)"],
    "hunyuan": [r"(single_)?transformer_blocks\.\d+\.attn", r"transformer_blocks\.\d+\.(ff|ff_context)"],
    "cogvideox": [r"transformer_blocks\.\d+\.(attn1|ff)"],
    "ltx": [r"transformer_blocks\.\d+\.(attn1|attn2|ff)"],
}


def theirs(family, pipe, config, **call):
    pipe.transformer.enable_cache(config)
    try:
        return family.call(pipe, steps=STEPS, **call)
    finally:
        pipe.transformer.disable_cache()


def ours(family, pipe, policy, **call):
    with navicache.enable(pipe, policy) as cache:
        first, second = (family.call(pipe, steps=STEPS, **call) for _ in range(2))
    assert torch.equal(first, second)  # nothing is left over from the run before
    return first, cache.trace.runs[-1]


def check(family, pipe, policy, config, **call):
    full = family.call(pipe, steps=STEPS, **call)
    expected = theirs(family, pipe, config, **call)
    found, run = ours(family, pipe, policy, **call)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    assert torch.equal(family.call(pipe, steps=STEPS, **call), full)  # both are off again
    assert not torch.allclose(found, full)  # something was reused
    return run


@every_family
@pytest.mark.parametrize("threshold", [0.3, 0.5])
def test_first_block_cache(family, threshold):
    policy = navicache.policies.FirstBlockCache(threshold=threshold)
    check(family, family.build(), policy, FirstBlockCacheConfig(threshold))


@every_family
def test_mag_cache(family):
    config = MagCacheConfig(threshold=0.06, max_skip_steps=2, num_inference_steps=STEPS, mag_ratios=list(RATIOS))
    policy = navicache.policies.MagCache(ratios=RATIOS, threshold=0.06, longest_reuse=2, rounding="nearest")
    run = check(family, family.build(), policy, config)
    assert run.computed_steps() == (0, 1, 4, 7, 10, 11)


@every_family
@pytest.mark.parametrize("order", [0, 1, 2])
def test_taylorseer(family, order):
    config = TaylorSeerCacheConfig(
        cache_interval=3,
        disable_cache_before_step=3,
        max_order=order,
        taylor_factors_dtype=torch.float32,
        cache_identifiers=MODULES[family.name],
    )
    check(family, family.build(), navicache.policies.TaylorSeer(interval=3, align_steps=3, order=order), config)


@pytest.mark.parametrize("order", [1, 2])
def test_taylorseer_lite_is_the_whole_model(order):
    config = TaylorSeerCacheConfig(
        cache_interval=3,
        disable_cache_before_step=3,
        max_order=order,
        taylor_factors_dtype=torch.float32,
        use_lite_mode=True,
    )
    policy = navicache.policies.TaylorSeer(interval=3, align_steps=3, order=order, lite=True)
    run = check(WAN, WAN.build(), policy, config)
    assert run.computed_steps() == (0, 1, 2, 4, 7, 10)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("threshold", [0.3, 0.6])
@pytest.mark.parametrize("batch", [1, 2])
def test_sea_cache(order, threshold, batch):
    policy = navicache.policies.SeaCache(threshold=threshold, order=order)
    check(WAN, WAN.build(), policy, SeaCacheConfig(threshold=threshold, residual_order=order), batch=batch)


def test_the_filter_lets_a_clean_latent_through_and_smooths_a_noisy_one():
    latent = torch.randn(1, 2, 4, 8, 8, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(apply_wiener_filter(latent, 0.0, 3.0), latent, atol=1e-3, rtol=1e-3)
    smooth = apply_wiener_filter(latent, torch.tensor(0.9), 3.0)
    torch.testing.assert_close(smooth, apply_wiener_filter(latent, 0.9, 3.0))
    assert (
        smooth.diff(dim=-1).abs().mean() / smooth.abs().mean() < latent.diff(dim=-1).abs().mean() / latent.abs().mean()
    )
