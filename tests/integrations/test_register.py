"""`navicache.diffusers`: diffusers' own `enable_cache` takes our config, and is itself again afterwards."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from diffusers import FirstBlockCacheConfig
from tests.integrations.common import attributes, counted
from tests.integrations.test_lora import weights
from tests.tiny import TINY
from tests.tiny.wan import WAN

import navicache
from navicache.diffusers import NaviCacheConfig, cache_of, register, unregister

STEPS = 20


@pytest.fixture
def registered() -> Iterator[None]:
    register()
    yield
    unregister()


@pytest.fixture
def pipe(registered: None) -> Any:
    return WAN.build()


def run(pipe: Any, **call: Any) -> torch.Tensor:
    return WAN.call(pipe, **{"steps": STEPS, **call})


def test_half_of_the_calls_are_computed(pipe):
    full = run(pipe)
    before = attributes(pipe)
    assert pipe.transformer.enable_cache(NaviCacheConfig()) is None
    assert pipe.transformer.is_cache_enabled
    with counted(pipe) as calls:
        cached = run(pipe)
    assert len(calls) == STEPS  # of 40: twenty steps in two branches
    pipe.transformer.disable_cache()
    assert not pipe.transformer.is_cache_enabled
    assert attributes(pipe) == before
    assert torch.equal(run(pipe), full)
    assert not torch.equal(cached, full)


def test_it_is_what_enable_gives(pipe):
    pipe.transformer.enable_cache(NaviCacheConfig("navicache", knobs={"threshold": 0.4, "align_steps": 3}))
    through = run(pipe)
    pipe.transformer.disable_cache()
    with navicache.enable(pipe, "navicache", threshold=0.4, align_steps=3):
        assert torch.equal(run(pipe), through)


def test_the_handle_is_had_by_asking(pipe):
    with pytest.raises(ValueError, match="has no cache of navicache"):
        cache_of(pipe.transformer)
    pipe.transformer.enable_cache(NaviCacheConfig("static", knobs={"interval": 2}))
    run(pipe, steps=6)
    assert "computed 4 of 6 steps" in cache_of(pipe.transformer).summary()
    cache_of(pipe.transformer).disable()
    assert not pipe.transformer.is_cache_enabled


def test_contexts_of_diffusers_reach_it(pipe):
    model, x = pipe.transformer, torch.randn(1, 4, 3, 4, 4, generator=torch.Generator().manual_seed(1))
    model.enable_cache(NaviCacheConfig("static", knobs={"interval": 2}, steps=4))
    for step in range(4):
        for name, text in (("cond", 1.0), ("uncond", -1.0)):
            with torch.no_grad(), model.cache_context(name, step_index=step):
                model(x * (1 - step / 8), torch.tensor([900 - step]), torch.full((1, 12, 16), text))
    model._reset_stateful_cache()  # as pipelines do at their end
    (record,) = cache_of(model).trace.runs
    assert record.computed_steps() == (0, 2, 3)
    assert record.streams == ("cond", "uncond")


def test_a_second_cache_is_refused_by_diffusers_itself(pipe):
    model = pipe.transformer
    model.enable_cache(NaviCacheConfig())
    for config in (NaviCacheConfig(), FirstBlockCacheConfig()):
        with pytest.raises(ValueError, match="already been enabled"):
            model.enable_cache(config)
    model.disable_cache()
    model.enable_cache(FirstBlockCacheConfig())
    with pytest.raises(ValueError, match="already been enabled"):
        model.enable_cache(NaviCacheConfig())
    model.disable_cache()
    cache = navicache.enable(model)
    with pytest.raises(ValueError, match="cached already"):
        model.enable_cache(NaviCacheConfig())
    assert not model.is_cache_enabled
    cache.disable()


def test_other_configs_go_on_as_they_came(registered):
    model = WAN.build().transformer
    with pytest.raises(ValueError, match="is not supported"):
        model.enable_cache({"speedup": 2.0})

    class Mine(NaviCacheConfig):
        pass

    with pytest.raises(ValueError, match="is not supported"):
        model.enable_cache(Mine())
    assert not model.is_cache_enabled


def test_what_the_model_has_not_is_refused_before_a_step(pipe):
    before = attributes(pipe)
    with pytest.raises(ValueError, match="has no 'fast' setting"):
        pipe.transformer.enable_cache(NaviCacheConfig("easycache", mode="fast"))
    assert not pipe.transformer.is_cache_enabled
    assert attributes(pipe) == before


def test_lora_comes_and_goes_under_it(pipe):
    pytest.importorskip("peft", reason="LoRA needs peft: pip install peft")
    config = NaviCacheConfig("navicache", knobs={"threshold": 0.4, "align_steps": 3})
    pipe.transformer.enable_cache(config)
    bare = run(pipe, steps=8)
    pipe.load_lora_weights(weights(), adapter_name="style")
    assert not torch.equal(run(pipe, steps=8), bare)
    pipe.unload_lora_weights()
    assert torch.equal(run(pipe, steps=8), bare)
    assert pipe.transformer.is_cache_enabled


def test_hunyuan_is_told_its_steps(registered):
    case = TINY["hunyuan"]
    pipe = case.build()
    pipe.transformer.enable_cache(NaviCacheConfig(speedup=2.0, steps=12))
    with counted(pipe) as calls:
        case.call(pipe, steps=12, guidance=False)
    assert len(calls) == 6


@pytest.mark.slow
def test_it_is_imported_only_when_asked_for():
    code = "import sys, navicache; assert 'navicache.diffusers' not in sys.modules and 'diffusers' not in sys.modules; "
    code += "import navicache.diffusers, diffusers; assert diffusers.__name__ == 'diffusers'; "
    code += "assert navicache.diffusers.__name__ == 'navicache.diffusers'"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True)


@pytest.mark.slow
def test_the_embedded_model():
    from diffusers import WanPipeline

    from navicache.pocket import checkpoint_path

    pipe = WanPipeline.from_pretrained(checkpoint_path())

    def clip() -> torch.Tensor:
        seed = torch.Generator().manual_seed(0)
        size = {"num_frames": 5, "height": 64, "width": 64, "num_inference_steps": STEPS}
        return pipe("a large red ball", **size, output_type="latent", generator=seed).frames

    register()
    full = clip()
    pipe.transformer.enable_cache(NaviCacheConfig(speedup=2.0))
    with counted(pipe) as calls:
        near = clip()
    unregister()
    assert len(calls) == STEPS
    assert torch.equal(clip(), full)
    assert torch.nn.functional.cosine_similarity(near.flatten(), full.flatten(), dim=0) > 0.99
