"""The official code of HunyuanVideo 1.5: its transformer, its scheduler and its pipeline, tiny random weights."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.promises import Generate, assert_halves
from tests.recipes.stand_ins import HunyuanVideo15Transformer
from torch import Tensor, nn

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]

STEPS = 20
MODELS = "hyvideo.models.transformers.hunyuanvideo_1_5_transformer"
ABSENT = ("torchvision", "torchvision.transforms", "flash_attn")  # not installed, and not used here
SIZES = {
    "in_channels": 4, "out_channels": 4, "hidden_size": 24, "heads_num": 2, "mlp_width_ratio": 2.0,
    "mm_double_blocks_depth": 1, "mm_single_blocks_depth": 0, "rope_dim_list": [4, 4, 4], "text_states_dim": 6,
    "attn_mode": "torch", "is_reshape_temporal_channels": False, "ideal_resolution": "480p", "ideal_task": "t2v",
}  # fmt: skip


def transformer() -> Any:
    """One block; the layers that begin at zero get weights, or nothing would depend on anything."""
    torch.manual_seed(0)
    made = load(MODELS, *ABSENT).HunyuanVideo_1_5_DiffusionTransformer(**SIZES).eval()
    for weight in made.parameters():
        if not weight.any():
            nn.init.normal_(weight, std=0.1)
    return made


def pipeline(model: Any) -> Any:
    code = load("hyvideo.pipelines.hunyuan_video_pipeline", *ABSENT)

    class Encoded(code.HunyuanVideo_1_5_Pipeline):
        """Prompts are given as embeddings already; sizes are tiny."""

        def encode_prompt(self, *_: Any, **__: Any) -> tuple[Tensor, ...]:
            mask = torch.ones(1, 3, dtype=torch.long)
            return torch.ones(1, 3, 6), -torch.ones(1, 3, 6), mask, mask

        def get_latent_size(self, *_: Any) -> tuple[int, int, int]:
            return 3, 6, 8

    vae, text = nn.Identity(), nn.Identity()
    vae.config, text.max_length = SimpleNamespace(block_out_channels=[1, 1, 1, 1]), 3
    scheduler = code.FlowMatchDiscreteScheduler(shift=7.0, reverse=True, solver="euler")
    pipe = Encoded(vae, text, model, scheduler, glyph_byT5_v2=False, execution_device="cpu")
    vars(pipe).update(target_dtype=torch.float32, autocast_enabled=False)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def generation(pipe: Any, guidance_scale: float) -> Generate:
    def generate(seed: int) -> Tensor:
        return pipe(
            "a boat", "16:9", 9, prompt_rewrite=False, num_inference_steps=STEPS, guidance_scale=guidance_scale,
            enable_sr=False, seed=seed, output_type="latent", return_dict=False,
        )  # fmt: skip

    return generate


@pytest.mark.parametrize("whole", [True, False], ids=["pipeline", "transformer"])
@pytest.mark.parametrize("guidance", [1.0, 6.0], ids=["distilled", "two branches in one call"])
def test_their_pipeline(whole: bool, guidance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(checkout("hunyuanvideo15")):
        ranks = load("hyvideo.commons.parallel_states")
        alone = SimpleNamespace(sp_enabled=False, sp=1, sp_rank=0, sp_group=None)
        monkeypatch.setattr(ranks, "get_parallel_state", lambda: alone)  # the real one makes a mesh of CUDA devices
        model = transformer()
        pipe = pipeline(model)
        target = pipe if whole else model
        assert_halves(generation(pipe, guidance), {target: STEPS}, lambda _: model.double_blocks[0], 1, told=not whole)
        assert same_arguments(type(model).forward, HunyuanVideo15Transformer.forward)
