"""diffusers' modular pipelines: guiders decide which branches a step has, and name them in some models."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from diffusers import ClassifierFreeGuidance, LayerSkipConfig, SkipLayerGuidance
from diffusers.modular_pipelines.ltx.modular_blocks_ltx import LTXCoreDenoiseStep
from diffusers.modular_pipelines.ltx.modular_pipeline import LTXModularPipeline
from diffusers.modular_pipelines.wan.modular_blocks_wan import WanCoreDenoiseStep
from diffusers.modular_pipelines.wan.modular_pipeline import WanModularPipeline
from tests.integrations.common import REUSING, STEPS, counted, newest, reused
from tests.tiny import NEGATIVE, TINY
from tests.tiny.common import embed

import navicache

GUIDERS = {
    "cfg": lambda blocks: ClassifierFreeGuidance(guidance_scale=4.0),
    "cfg in a window": lambda blocks: ClassifierFreeGuidance(guidance_scale=4.0, start=0.3, stop=0.8),
    "three branches": lambda blocks: SkipLayerGuidance(
        guidance_scale=4.0,
        skip_layer_guidance_scale=2.0,
        skip_layer_guidance_start=0.3,
        skip_layer_guidance_stop=0.9,
        skip_layer_config=LayerSkipConfig(indices=[1], fqn=blocks),
    ),
}


def build(family: str, guider: str) -> Any:
    parts = TINY[family].build()
    pipe = {"wan": WanModularPipeline, "ltx": LTXModularPipeline}[family](
        blocks={"wan": WanCoreDenoiseStep, "ltx": LTXCoreDenoiseStep}[family]()
    )
    skipped = {"wan": "blocks", "ltx": "transformer_blocks"}[family]
    pipe.update_components(transformer=parts.transformer, scheduler=parts.scheduler, guider=GUIDERS[guider](skipped))
    pipe.set_progress_bar_config(disable=True)
    return pipe


def call(family: str, pipe: Any, steps: int = STEPS, prompt: str = "a cat") -> torch.Tensor:
    tokens = {"wan": 12, "ltx": 10}[family]
    text = {"prompt_embeds": prompt, "negative_prompt_embeds": NEGATIVE}
    arguments: dict[str, Any] = {key: embed(TINY[family].build(), [value], tokens, 16) for key, value in text.items()}
    arguments |= {"num_frames": 9, "height": 64, "width": 96, "num_inference_steps": steps}
    if family == "wan":  # without a VAE to ask, the pipeline would take 16 channels
        arguments["latents"] = torch.randn((1, 4, 3, 8, 12), generator=torch.Generator().manual_seed(0))
    else:
        masks = {"prompt_attention_mask", "negative_prompt_attention_mask"}
        arguments |= {name: torch.ones(1, tokens, dtype=torch.bool) for name in masks}
    return pipe(**arguments, generator=torch.Generator().manual_seed(0), output="latents")


@pytest.mark.parametrize("guider", GUIDERS)
@pytest.mark.parametrize("family", ["wan", "ltx"])
def test_modular_pipeline(family: str, guider: str) -> None:
    pipe = build(family, guider)
    with counted(pipe) as calls:
        exact = call(family, pipe)
    full = len(calls)
    assert full == {"cfg": 24, "cfg in a window": 18, "three branches": 30}[guider]
    with navicache.enable(pipe, threshold=0.0, align_steps=2) as cache:
        assert torch.equal(call(family, pipe), exact)
    (run,) = cache.trace.runs
    assert (run.length, len(run.steps), run.total) == (STEPS, full, STEPS)
    with navicache.enable(pipe, **REUSING) as cache, counted(pipe) as calls:
        results = [call(family, pipe) for _ in range(2)]
    assert torch.equal(*results)
    assert not torch.equal(results[0], exact)
    assert reused(cache) >= 2
    assert [run.length for run in cache.trace.runs] == [STEPS] * 2
    assert len(calls) == sum(step.computed for run in cache.trace.runs for step in run.steps)
    if family == "ltx":
        names = {"three branches": ("pred_cond", "pred_uncond", "pred_cond_skip")}
        assert run.streams == names.get(guider, ("pred_cond", "pred_uncond"))
    assert torch.equal(call(family, pipe), exact)


@pytest.mark.parametrize("family", ["wan", "ltx"])
def test_a_modular_pipeline_is_decided_afresh_every_time(family: str) -> None:
    pipe, other = build(family, "cfg"), build(family, "cfg")
    cache, fresh = navicache.enable(pipe, **REUSING), navicache.enable(other, **REUSING)
    call(family, pipe, steps=9)
    results = [call(family, p, prompt="two dogs") for p in (pipe, other)]
    assert torch.equal(*results)
    assert [run.steps for run in newest(cache).values()] == [run.steps for run in newest(fresh).values()]
