"""The official code of HunyuanVideo: its transformer, its scheduler and its pipeline, tiny random weights."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.promises import Generate, assert_halves
from tests.recipes.stand_ins import HYVideoDiffusionTransformer
from torch import Tensor, nn

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]

STEPS = 20
SIZES = {"hidden_size": 24, "heads_num": 2, "rope_dim_list": [4, 4, 4], "mlp_width_ratio": 2.0}
DEPTHS = {"mm_double_blocks_depth": 1, "mm_single_blocks_depth": 1}


def transformer(guidance_embed: bool) -> Any:
    """Two blocks; the layers that begin at zero get weights, or nothing would depend on anything."""
    code = load("hyvideo.modules.models")
    attend = load("hyvideo.modules.attenion").attention
    code.get_cu_seqlens = lambda mask, length: torch.zeros(
        2 * len(mask) + 1
    )  # made on CUDA; torch's mode does not use it
    code.attention = lambda q, k, v, **_: attend(q, k, v, mode="torch")
    torch.manual_seed(0)
    texts = SimpleNamespace(text_states_dim=6, text_states_dim_2=5)
    made = code.HYVideoDiffusionTransformer(
        texts, in_channels=4, out_channels=4, guidance_embed=guidance_embed, **SIZES, **DEPTHS
    ).eval()
    for weight in made.parameters():
        if not weight.any():
            nn.init.normal_(weight, std=0.1)
    return made


def pipeline(model: Any) -> Any:
    code = load("hyvideo.diffusion.pipelines.pipeline_hunyuan_video")
    scheduler = load("hyvideo.diffusion.schedulers").FlowMatchDiscreteScheduler(shift=7.0, reverse=True, solver="euler")
    args = SimpleNamespace(precision="fp32", vae_precision="fp32", disable_autocast=True)

    class Encoded(code.HunyuanVideoPipeline):
        """Prompts are given as embeddings already; the second encoder's stand-in is asked by the real method."""

        def encode_prompt(self, *_: Any, text_encoder: Any = None, **given: Any) -> tuple[Tensor, ...]:
            shape, length = ((1, 5), None) if text_encoder else ((1, 3, 6), 3)
            mask = torch.ones(1, length, dtype=torch.long) if length else None
            return torch.ones(shape), -torch.ones(shape), mask, mask

        _execution_device = torch.device("cpu")

    vae = nn.Identity()
    vae.config = SimpleNamespace(block_out_channels=[1, 1, 1, 1])
    return Encoded(vae, nn.Identity(), model, scheduler, text_encoder_2=nn.Identity(), args=args)


def generation(pipe: Any, guidance_scale: float, videos: int = 1) -> Generate:
    freqs = load("hyvideo.modules.posemb_layers").get_nd_rotary_pos_embed(
        [4, 4, 4], (3, 3, 4), theta=256, use_real=True, theta_rescale_factor=1
    )
    call = {"height": 48, "width": 64, "video_length": 9, "vae_ver": "884-16c-hy", "data_type": "video"}

    def generate(seed: int) -> Tensor:
        noise = torch.Generator().manual_seed(seed)
        return pipe(
            "a boat",
            **call,
            num_inference_steps=STEPS,
            guidance_scale=guidance_scale,
            generator=noise,
            freqs_cis=freqs,
            embedded_guidance_scale=6.0,
            output_type="latent",
            return_dict=False,
        )

    return generate


@pytest.mark.parametrize("whole", [True, False], ids=["pipeline", "transformer"])
@pytest.mark.parametrize("guidance", [1.0, 6.0], ids=["distilled", "two branches in one call"])
def test_their_pipeline(whole: bool, guidance: float) -> None:
    with opened(checkout("hunyuanvideo")):
        model = transformer(guidance_embed=guidance == 1.0)
        pipe = pipeline(model)
        target = pipe if whole else model
        assert_halves(generation(pipe, guidance), {target: STEPS}, lambda _: model.double_blocks[0], 1, told=not whole)
        assert same_arguments(type(model).forward, HYVideoDiffusionTransformer.forward)
