"""Open-Sora 2.0: its MMDiT and its denoisers, tiny random weights; fused kernels are stood in for."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import attend, checkout, load, opened, same_arguments
from tests.recipes.promises import Generate, assert_halves
from tests.recipes.stand_ins import MMDiTModel
from torch import Tensor, nn

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]

STEPS = 20
BARE = ("opensora", "opensora.models", "opensora.models.mmdit", "opensora.utils")
FUSED = ("flash_attn", "liger_kernel", "liger_kernel.ops", "liger_kernel.ops.rope", "liger_kernel.ops.rms_norm")
TRAINING = ("colossalai", "colossalai.utils", "mmengine", "mmengine.config")
NOT_NEEDED = tuple(
    f"opensora.{name}"
    for name in ("models.text", "models.text.conditioner", "utils.logger", "utils.prompt_refine", "utils.ckpt")
)
DATA = ("opensora.datasets", "opensora.datasets.aspect", "opensora.datasets.utils")
SIZES = {
    "in_channels": 16,
    "vec_in_dim": 5,
    "context_in_dim": 6,
    "hidden_size": 24,
    "num_heads": 2,
    "axes_dim": [4, 4, 4],
}
BLOCKS = {"depth": 1, "depth_single_blocks": 1, "mlp_ratio": 2.0, "theta": 100, "qkv_bias": True}


class Registry(ModuleType):
    """In place of theirs, which needs mmengine; it registers nothing."""

    MODELS = SimpleNamespace(register_module=lambda name: lambda made: made)
    build_module = None


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opensora.registry", Registry("opensora.registry"))


def model(**kind: bool) -> Any:
    math, layers = (load(f"opensora.models.mmdit.{name}", *FUSED) for name in ("math", "layers"))
    math.flash_attn_func = attend
    layers.FusedRMSNorm.forward = layers.RMSNorm.forward  # the same, not fused
    code = load("opensora.models.mmdit.model", *TRAINING, *NOT_NEEDED)
    torch.manual_seed(0)
    config = code.MMDiTConfig(from_pretrained="", cache_dir="", **SIZES, **BLOCKS, **kind)
    made = code.MMDiTModel(config).eval()
    for weight in made.parameters():
        if not weight.any():
            nn.init.normal_(weight, std=0.1)
    return made


def inputs(samples: int, seed: int) -> dict[str, Tensor]:
    """What their `prepare` makes of a latent of 3 x 6 x 8 and a prompt; tokens of 2 x 2."""
    tokens = torch.randn(1, 36, 16, generator=torch.Generator().manual_seed(seed)).repeat(samples, 1, 1)
    texts = torch.arange(1.0, samples + 1).view(-1, 1, 1).expand(-1, 3, 6)
    places = {"img_ids": torch.zeros(samples, 36, 3), "txt_ids": torch.zeros(samples, 3, 3)}
    return {"img": tokens, "txt": texts, "y_vec": texts[:, 0, :5], **places}


def generation(model: Any, distilled: bool) -> Generate:
    code = load("opensora.utils.sampling", *TRAINING, *NOT_NEEDED, *DATA)
    times = code.get_schedule(STEPS, 12, 3)

    def generate(seed: int) -> Tensor:
        if distilled:
            return code.DistilledDenoiser().denoise(model, **inputs(1, seed), timesteps=times, guidance=4.0)
        image = {"masks": torch.zeros(1, 1, 3, 6, 8), "masked_ref": torch.zeros(1, 4, 3, 6, 8), "sigma_min": 1e-5}
        scales = {"guidance": 7.5, "guidance_img": 3.0}
        return code.I2VDenoiser().denoise(model, **inputs(3, seed), **image, **scales, timesteps=times)

    return torch.no_grad()(generate)


@pytest.mark.parametrize("distilled", [True, False], ids=["distilled", "three branches in one call"])
def test_their_denoisers(distilled: bool) -> None:
    with opened(checkout("opensora"), *BARE):
        only = model(guidance_embed=distilled, cond_embed=not distilled)
        assert_halves(generation(only, distilled), {only: STEPS}, lambda m: m.double_blocks[0], 1)
        assert same_arguments(only.forward, MMDiTModel().forward)
