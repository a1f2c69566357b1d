"""DiffSynth-Studio: its whole pipeline on a tiny random WanModel; text encoder and VAE are stood in for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.promises import assert_runs, counted
from tests.recipes.stand_in_function import model_fn_wan_video
from torch import Tensor, nn

import navicache
from navicache.engine import CannotCache

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]

STEPS = 20
NOT_INSTALLED = ("torchvision", "torchvision.transforms", "modelscope", "pandas", "datasets")


class Decoder(nn.Module):
    """Latents are what is compared: nothing is decoded."""

    model = SimpleNamespace(z_dim=4)
    upsampling_factor = 8

    def decode(self, latents: Tensor, **_: Any) -> Tensor:
        return latents


class Encoder(nn.Module):
    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return torch.full((1, 3, 6), float(ids[0, 0]))


def tokens(prompt: str, **_: Any) -> tuple[Tensor, Tensor]:
    return torch.full((1, 3), len(prompt)), torch.ones(1, 3)


def dit() -> Any:
    torch.manual_seed(0)
    sizes = {"in_dim": 4, "out_dim": 4, "dim": 24, "ffn_dim": 32, "freq_dim": 8, "text_dim": 6}
    blocks = {"num_heads": 2, "num_layers": 2, "patch_size": (1, 2, 2), "eps": 1e-6, "has_image_input": False}
    return load("diffsynth.models.wan_video_dit").WanModel(**sizes, **blocks).eval()


def pipeline() -> Any:
    code = load("diffsynth.pipelines.wan_video", *NOT_INSTALLED)
    pipe = code.WanVideoPipeline(device="cpu", torch_dtype=torch.float32)
    pipe.dit, pipe.vae, pipe.text_encoder, pipe.tokenizer = dit(), Decoder(), Encoder(), tokens
    assert same_arguments(pipe.model_fn, model_fn_wan_video)
    return pipe


def generate(pipe: Any, seed: int, **call: Any) -> Tensor:
    size = {"height": 48, "width": 64, "num_frames": 9, "num_inference_steps": STEPS, "tiled": False}
    prompts = {"prompt": "a boat", "negative_prompt": "bad"}
    return pipe(**prompts, seed=seed, **size, output_type="floatpoint", progress_bar_cmd=list, **call)


@pytest.mark.parametrize("branches", [1, 2])
def test_their_pipeline(branches: int) -> None:
    with opened(checkout("diffsynth")):
        pipe, call = pipeline(), {"cfg_scale": 1.0 if branches == 1 else 5.0}
        plain, given = generate(pipe, 0, **call), pipe.model_fn
        pipe.model_fn = cache = navicache.enable(pipe.model_fn, speedup=2.0, steps=STEPS)
        with counted(pipe.dit.blocks[0]) as calls:
            first, other, again = (generate(pipe, seed, **call) for seed in (0, 1, 0))
        assert len(calls) == 3 * branches * STEPS // 2
        assert_runs(cache, [STEPS] * 3, branches)
        assert torch.equal(first, again)
        assert not torch.equal(first, other)
        assert not torch.equal(first, plain)
        cache.disable()
        assert torch.equal(generate(pipe, 0, **call), plain)
        pipe.model_fn = given
        assert torch.equal(generate(pipe, 0, **call), plain)


def test_two_experts() -> None:
    """One function serves both: each gets a cache of its own."""
    with opened(checkout("diffsynth")):
        pipe = pipeline()
        pipe.dit2 = dit()
        call = {"sigma_shift": 12.0, "switch_DiT_boundary": 0.875}
        plain, given = generate(pipe, 0, **call), pipe.model_fn
        high, low = (navicache.enable(given, speedup=2.0, steps=steps) for steps in (13, 7))
        pipe.model_fn = lambda dit, **inputs: (high if dit is pipe.dit else low)(dit=dit, **inputs)
        with counted(pipe.dit.blocks[0]) as of_high, counted(pipe.dit2.blocks[0]) as of_low:
            first, again = generate(pipe, 0, **call), generate(pipe, 0, **call)
        assert (len(of_high), len(of_low)) == (2 * 2 * 6, 2 * 2 * 4)
        assert_runs(high, [13] * 2, 2)
        assert_runs(low, [7] * 2, 2)
        assert torch.equal(first, again)
        assert not torch.equal(first, plain)


def test_merged_guidance_is_refused() -> None:
    """One latent in, two predictions out: which belongs to which cannot be told."""
    with opened(checkout("diffsynth")):
        pipe = pipeline()
        pipe.model_fn = navicache.enable(pipe.model_fn, steps=STEPS)
        with pytest.raises(CannotCache):
            generate(pipe, 0, cfg_merge=True)
