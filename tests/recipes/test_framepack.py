"""FramePack: its packed transformer and its sampler, section after section, tiny random weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from accelerate import accelerator
from diffusers.models import normalization
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.promises import Generate, assert_halves
from tests.recipes.stand_ins import HunyuanVideoTransformer3DModelPacked
from torch import Tensor

import navicache

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]

STEPS, SECTIONS = 25, 2
NOT_INSTALLED = ("cv2", "torchvision")
REPLACED = ("RMSNorm", "LayerNorm", "FP32LayerNorm", "AdaLayerNormContinuous")


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """FramePack replaces methods of torch, diffusers and accelerate when it is imported; they are put back."""
    for kind in (torch.nn.LayerNorm, *(getattr(normalization, name) for name in REPLACED)):
        monkeypatch.setattr(kind, "forward", kind.forward)
    monkeypatch.setattr(accelerator, "convert_outputs_to_fp32", accelerator.convert_outputs_to_fp32)


def transformer() -> Any:
    code = load("diffusers_helper.models.hunyuan_video_packed", *NOT_INSTALLED)
    torch.manual_seed(0)
    blocks = {"num_layers": 1, "num_single_layers": 1, "num_refiner_layers": 1, "mlp_ratio": 2.0}
    sizes = {"num_attention_heads": 2, "attention_head_dim": 12, "rope_axes_dim": (4, 4, 4)}
    texts = {"text_embed_dim": 6, "pooled_projection_dim": 5}
    made = code.HunyuanVideoTransformer3DModelPacked(has_clean_x_embedder=True, **blocks, **sizes, **texts).eval()
    for weight in made.parameters():
        if not weight.any():
            torch.nn.init.normal_(weight, std=0.1)
    return made


def texts(value: float) -> tuple[Tensor, Tensor, Tensor]:
    return torch.full((1, 3, 6), value), torch.ones(1, 3, dtype=torch.long), torch.full((1, 5), value)


def generation(model: Any, guidance: float) -> Generate:
    sample = load("diffusers_helper.pipelines.k_diffusion_hunyuan", *NOT_INSTALLED).sample_hunyuan
    names = ("prompt_embeds", "prompt_embeds_mask", "prompt_poolers")
    prompts = dict(zip(names, texts(1.0), strict=True))
    prompts |= {f"negative_{name}": value for name, value in zip(names, texts(-1.0), strict=True)}
    size = {"width": 64, "height": 48, "frames": 9, "num_inference_steps": STEPS, "real_guidance_scale": guidance}

    def generate(seed: int) -> Tensor:
        """The video backwards: each section is conditioned on those made before it."""
        noise, past = torch.Generator().manual_seed(seed), torch.zeros(1, 16, 2, 6, 8)
        for _ in range(SECTIONS):
            clean = {"clean_latents": past[:, :, :2], "clean_latent_indices": torch.tensor([[0, 4]])}
            places = {"latent_indices": torch.tensor([[1, 2, 3]])}
            made = sample(
                model, generator=noise, dtype=torch.float32, device="cpu", **prompts, **size, **clean, **places
            )
            past = torch.cat([made, past], dim=2)
        return past.clone()

    return generate


@pytest.mark.parametrize("guidance", [1.0, 3.0], ids=["distilled", "two calls a step"])
def test_their_sampler(guidance: float) -> None:
    with opened(checkout("framepack")):
        model = transformer()
        branches = 1 if guidance == 1.0 else 2
        generate = generation(model, guidance)
        assert_halves(generate, {model: STEPS}, lambda m: m.transformer_blocks[0], branches, runs_each=SECTIONS)
        assert same_arguments(type(model).forward, HunyuanVideoTransformer3DModelPacked.forward)


def test_with_their_offload(monkeypatch: pytest.MonkeyPatch) -> None:
    """DynamicSwap gives every module a class of its own."""
    with opened(checkout("framepack")):
        model = transformer()
        monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
        load("diffusers_helper.memory").DynamicSwapInstaller.install_model(model, device="cpu")
        generate = generation(model, 1.0)
        plain = generate(0)
        cache = navicache.enable(model, "navicache", steps=STEPS)
        assert "HunyuanVideo's are used" in cache.notes[0]
        cache.disable()
        assert_halves(generate, {model: STEPS}, lambda m: m.transformer_blocks[0], 1, runs_each=SECTIONS)
        assert torch.equal(generate(0), plain)
