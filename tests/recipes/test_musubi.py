"""musubi-tuner: its own WanModel and its sampling loop, tiny random weights."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.promises import Generate, assert_halves, counted
from tests.recipes.stand_ins import MusubiWanModel
from torch import Tensor, nn

import navicache

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]

STEPS = 20
BARE = ("musubi_tuner.wan.modules",)
VISION = ("torchvision", "torchvision.transforms", "torchvision.transforms.functional")
NOT_INSTALLED = ("cv2", *VISION, "musubi_tuner.dataset.image_video_dataset", "musubi_tuner.dataset")
NOT_NEEDED = tuple(
    f"musubi_tuner.{name}"
    for name in ("networks.lora_wan", "hv_generate_video", "wan.modules.t5", "wan.modules.vae", "wan.modules.clip")
)
ARGUMENTS: dict[str, Any] = {
    "cfg_skip_mode": "none",
    "cfg_apply_ratio": None,
    "slg_start": 0.0,
    "slg_end": 0.0,
    "slg_mode": None,
    "slg_layers": [1],
    "slg_scale": 2.0,
    "timestep_boundary": None,
    "guidance_scale": 5.0,
    "guidance_scale_high_noise": 5.0,
    "flow_shift": 5.0,
    "offload_inactive_dit": False,
    "lazy_loading": False,
}


def model() -> Any:
    torch.manual_seed(0)
    code = load("musubi_tuner.wan.modules.model", *NOT_INSTALLED)
    sizes = {"in_dim": 4, "out_dim": 4, "dim": 24, "ffn_dim": 32, "freq_dim": 8, "text_dim": 6, "text_len": 8}
    made = code.WanModel(num_heads=2, num_layers=2, attn_mode="torch", **sizes).float().eval()
    nn.init.normal_(made.head.head.weight, std=0.3)
    return made


def generation(*models: Any, **given: Any) -> Generate:
    code = load("musubi_tuner.wan_generate_video", *NOT_INSTALLED, *NOT_NEEDED)
    args, cpu = SimpleNamespace(**ARGUMENTS | given), torch.device("cpu")
    contexts = [{"context": [torch.full((3, 6), value)], "seq_len": 36} for value in (1.0, -1.0)]
    accelerator = SimpleNamespace(autocast=nullcontext)

    def generate(seed: int) -> Tensor:
        noise = torch.Generator().manual_seed(seed)
        scheduler = code.FlowUniPCMultistepScheduler(num_train_timesteps=1000, shift=1, use_dynamic_shifting=False)
        scheduler.set_timesteps(STEPS, device=cpu, shift=args.flow_shift)
        latent = torch.randn(4, 3, 6, 8, generator=noise)
        times = scheduler.timesteps
        return code.run_sampling(
            list(models), latent, scheduler, times, args, None, contexts, cpu, noise, accelerator, use_cpu_offload=False
        )

    return generate


def first_block(model: Any) -> nn.Module:
    return model.blocks[0]


def test_their_loop() -> None:
    with opened(checkout("musubi", "src"), *BARE):
        only = model()
        assert_halves(generation(only), {only: STEPS}, first_block)
        assert same_arguments(type(only).forward, MusubiWanModel.forward)


def test_two_experts() -> None:
    with opened(checkout("musubi", "src"), *BARE):
        high, low = model(), model()
        generate = generation(high, low, timestep_boundary=0.875, flow_shift=12.0)
        assert_halves(generate, {high: 13, low: 7}, first_block)


@pytest.mark.parametrize(
    "given",
    [{"cfg_skip_mode": "early", "cfg_apply_ratio": 0.5}, {"slg_mode": "uncond", "slg_end": 1.0}],
    ids=["guidance late", "the negative prompt with layers left out"],
)
def test_their_guidance(given: dict[str, Any]) -> None:
    """In a part of the run, and with blocks left out."""
    with opened(checkout("musubi", "src"), *BARE):
        only = model()
        generate = generation(only, **given)
        plain = generate(0)
        with navicache.enable(only, speedup=2.0, steps=STEPS) as cache:
            first, again = generate(0), generate(0)
        assert torch.equal(first, again)
        assert [run.computed for run in cache.trace.runs] == [STEPS // 2] * 2
        assert torch.equal(generate(0), plain)


def test_two_calls_that_differ_in_no_tensor_are_computed() -> None:
    """Their original skip layer guidance: the third call of a step is told from the second by a list of numbers."""
    with opened(checkout("musubi", "src"), *BARE):
        only = model()
        generate = generation(only, slg_mode="original", slg_end=1.0)
        plain = generate(0)
        with navicache.enable(only, speedup=2.0, steps=STEPS), counted(only.blocks[0]) as calls:
            assert torch.equal(generate(0), plain)
        assert len(calls) == 3 * STEPS
