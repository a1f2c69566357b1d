"""A combined pipeline: its prior has a scheduler and a number of steps of its own."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from benchmarks.survey.text_parts import tokenizer, vision
from diffusers import (
    DDIMScheduler,
    KandinskyV22CombinedPipeline,
    PriorTransformer,
    UnCLIPScheduler,
    UNet2DConditionModel,
    VQModel,
)
from tests.tiny.common import component, ready
from torch import Tensor
from transformers import CLIPImageProcessor, CLIPTextConfig, CLIPTextModelWithProjection

import navicache
from navicache.integrations.scheduler import find_scheduler_name

WIDTH, PRIOR_STEPS, STEPS = 16, 16, 12
UNET: dict[str, Any] = {
    "sample_size": 8,
    "out_channels": 8,
    "addition_embed_type": "image",
    "encoder_hid_dim": WIDTH,
    "encoder_hid_dim_type": "image_proj",
    "down_block_types": ("ResnetDownsampleBlock2D", "SimpleCrossAttnDownBlock2D"),
    "mid_block_type": "UNetMidBlock2DSimpleCrossAttn",
    "up_block_types": ("SimpleCrossAttnUpBlock2D", "ResnetUpsampleBlock2D"),
    "block_out_channels": (8, 8),
    "layers_per_block": 1,
    "cross_attention_dim": WIDTH,
    "attention_head_dim": 4,
    "norm_num_groups": 2,
    "resnet_time_scale_shift": "scale_shift",
}
PRIOR = {"num_attention_heads": 2, "attention_head_dim": 8, "embedding_dim": WIDTH, "num_layers": 2}
MOVQ = {"block_out_channels": (32,), "latent_channels": 4, "norm_num_groups": 8, "norm_type": "spatial"}
TEXT = {"hidden_size": WIDTH, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}


def build() -> KandinskyV22CombinedPipeline:
    text = CLIPTextConfig(**TEXT, projection_dim=WIDTH, vocab_size=32, eos_token_id=2)
    parts: dict[str, Any] = {
        "unet": component(lambda: UNet2DConditionModel(**UNET), seed=1),
        "movq": component(lambda: VQModel(**MOVQ), seed=2),
        "prior_prior": component(lambda: PriorTransformer(**PRIOR), seed=3),
        "prior_text_encoder": component(lambda: CLIPTextModelWithProjection(text), seed=4),
        "prior_image_encoder": vision("CLIPVisionModelWithProjection"),
    }
    schedulers = DDIMScheduler(clip_sample=False), UnCLIPScheduler(prediction_type="sample")
    named = dict(zip(("scheduler", "prior_scheduler"), schedulers, strict=True))
    processing = {"prior_tokenizer": tokenizer(), "prior_image_processor": CLIPImageProcessor()}
    return ready(KandinskyV22CombinedPipeline(**parts, **named, **processing))


def generate(pipe: KandinskyV22CombinedPipeline) -> Tensor:
    steps: dict[str, Any] = {
        "num_inference_steps": STEPS,
        "prior_num_inference_steps": PRIOR_STEPS,
        "height": 64,
        "width": 64,
    }
    generator = torch.Generator().manual_seed(0)
    return pipe("a cat", **steps, generator=generator, output_type="pt", return_dict=False)[0]


@pytest.mark.filterwarnings("ignore:`callback")  # the pipeline's own call
def test_each_denoiser_follows_its_own_scheduler() -> None:
    pipe = build()
    plain = generate(pipe)
    with navicache.enable(pipe, speedup=2.0) as cache:
        first, again = generate(pipe), generate(pipe)
    found = [(run.model, run.length, run.total, run.computed) for run in cache.trace.runs]
    unet, prior = "UNet2DConditionModel (unet)", "PriorTransformer (prior_prior)"
    expected = [(unet, STEPS, STEPS, STEPS // 2)] * 2 + [(prior, PRIOR_STEPS, PRIOR_STEPS, PRIOR_STEPS // 2)] * 2
    assert sorted(found) == sorted(expected)
    assert torch.equal(first, again) and not torch.equal(first, plain)
    assert torch.equal(generate(pipe), plain)


@pytest.mark.parametrize(
    ("denoiser", "name"), [("prior_prior", "prior_scheduler"), ("unet", "scheduler"), ("unet_2", "scheduler")]
)
def test_the_name_of_a_denoiser_tells_its_scheduler(denoiser: str, name: str) -> None:
    assert find_scheduler_name(build(), denoiser) == name
    assert find_scheduler_name(None, denoiser) == "scheduler"
