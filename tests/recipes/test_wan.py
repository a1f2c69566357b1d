"""The official code of Wan 2.1 and Wan 2.2: their classes, their loops, tiny random weights."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import attend, bare_object, checkout, load, opened, same_arguments
from tests.recipes.promises import Generate, assert_halves
from tests.recipes.stand_ins import WanModel21, WanModel22
from torch import nn

pytestmark = [
    pytest.mark.recipes,
    # autocast to CUDA on a machine without, and its old spelling
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:.*CUDA.*:UserWarning"),
]

STEPS = 20
BARE = ("wan", "wan.modules", "wan.distributed", "wan.utils")
NOT_NEEDED = ("wan.modules.t5", "wan.modules.vae", "wan.modules.vae2_1", "wan.modules.vae2_2")
NOT_INSTALLED = ("torchvision", "torchvision.transforms", "torchvision.transforms.functional")


class Decoder:
    """Latents are what is compared: nothing is decoded."""

    model = SimpleNamespace(z_dim=4)

    def decode(self, latents: list[torch.Tensor]) -> list[torch.Tensor]:
        return latents


class Encoder:
    """Another text for every length of prompt."""

    model = nn.Identity()

    def __call__(self, prompts: list[str], device: torch.device) -> list[torch.Tensor]:
        length = len(prompts[0])
        return [torch.randn(length, 6, generator=torch.Generator().manual_seed(length))]


AROUND: dict[str, Any] = {
    "vae": Decoder(),
    "text_encoder": Encoder(),
    "vae_stride": (4, 8, 8),
    "patch_size": (1, 2, 2),
    "sp_size": 1,
    "sample_neg_prompt": "bad",
    "device": torch.device("cpu"),
    "t5_cpu": False,
    "param_dtype": torch.float32,
    "num_train_timesteps": 1000,
    "rank": 0,
    "init_on_cpu": False,
}


def model() -> Any:
    """A WanModel of two blocks; its last layer begins at zero, which would leave nothing to compare."""
    code = load("wan.modules.model")
    code.flash_attention = attend
    torch.manual_seed(0)
    sizes = {"in_dim": 4, "out_dim": 4, "dim": 24, "ffn_dim": 32, "freq_dim": 8, "text_dim": 6, "text_len": 8}
    made = code.WanModel(num_heads=2, num_layers=2, **sizes).eval()
    nn.init.normal_(made.head.head.weight, std=0.3)
    return made


def first_block(model: Any) -> nn.Module:
    return model.blocks[0]


def generation(place: str, kind: str, models: dict[str, Any], **call: Any) -> Generate:
    """Their `generate`, of an object that has loaded nothing."""
    pipeline = bare_object(getattr(load(place, *NOT_NEEDED, *NOT_INSTALLED), kind), {**AROUND, **models})
    size = {"size": (64, 48), "frame_num": 9, "sampling_steps": STEPS, "offload_model": False}
    return lambda seed: pipeline.generate("a boat", seed=seed + 1, **size, **call)


@pytest.mark.parametrize("solver", ["unipc", "dpm++"])
def test_wan21(solver: str) -> None:
    with opened(checkout("wan21"), *BARE):
        only = model()
        generate = generation("wan.text2video", "WanT2V", {"model": only}, sample_solver=solver)
        assert_halves(generate, {only: STEPS}, first_block)
        assert same_arguments(type(only).forward, WanModel21.forward)


def test_wan22_with_two_experts() -> None:
    with opened(checkout("wan22"), *BARE):
        experts = {"high_noise_model": model(), "low_noise_model": model()}
        generate = generation("wan.text2video", "WanT2V", {**experts, "boundary": 0.875}, shift=12.0)
        assert_halves(generate, dict(zip(experts.values(), (13, 7), strict=True)), first_block)
        assert same_arguments(type(experts["low_noise_model"]).forward, WanModel22.forward)


def test_wan22_with_a_time_per_token() -> None:
    with opened(checkout("wan22"), *BARE):
        only = model()
        generate = generation("wan.textimage2video", "WanTI2V", {"model": only})
        assert_halves(generate, {only: STEPS}, first_block)


@pytest.mark.parametrize(("shift", "boundary", "high"), [(12.0, 875, 26), (5.0, 900, 15)], ids=["T2V", "I2V"])
def test_steps_of_an_expert(shift: float, boundary: int, high: int) -> None:
    """What the page says for their defaults of 40 steps."""
    with opened(checkout("wan22"), *BARE):
        kind = load("wan.utils.fm_solvers_unipc").FlowUniPCMultistepScheduler
        scheduler = kind(num_train_timesteps=1000, shift=1, use_dynamic_shifting=False)
        scheduler.set_timesteps(40, shift=shift)
    assert int((scheduler.timesteps >= boundary).sum()) == high
