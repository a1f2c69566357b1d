"""A WanPipeline small enough for any machine, with random weights: it shows the mechanism, not a picture.

Every part is the real diffusers class. The weights are drawn to unit gain, and the time embedding sees slow waves
only, since a cache lives on a model that changes slowly from step to step, as trained ones do.
"""

from typing import Any

import torch
from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanPipeline, WanTransformer3DModel
from torch import nn

TEXT_DIM, TEXT_TOKENS, CHANNELS = 64, 32, 16


def build(layers: int = 6, heads: int = 4) -> WanPipeline:
    """The pipeline; the same weights every time."""
    transformer = WanTransformer3DModel(
        num_attention_heads=heads,
        attention_head_dim=48,
        in_channels=CHANNELS,
        out_channels=CHANNELS,
        text_dim=TEXT_DIM,
        freq_dim=64,
        ffn_dim=heads * 48 * 3,
        num_layers=layers,
        rope_max_seq_len=64,
    ).eval()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        vae = AutoencoderKLWan(base_dim=8, z_dim=CHANNELS, dim_mult=[1, 2, 2, 2], num_res_blocks=1).eval()
    _draw(transformer, seed=0)
    _slow_time(transformer)
    scheduler = UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0)
    parts: dict[str, Any] = {"vae": vae, "scheduler": scheduler, "transformer": transformer}
    return WanPipeline(tokenizer=None, text_encoder=None, **parts)  # pyright: ignore[reportArgumentType]


def inputs(seed: int = 0) -> dict[str, Any]:
    """Arguments of one guided call: two made-up prompts and a fixed noise."""
    texts = torch.randn(2, 1, TEXT_TOKENS, TEXT_DIM, generator=torch.Generator().manual_seed(seed)).unbind()
    return {
        "prompt_embeds": texts[0],
        "negative_prompt_embeds": texts[1],
        "height": 128,
        "width": 192,
        "num_frames": 17,
        "guidance_scale": 3.0,
        "generator": torch.Generator().manual_seed(seed + 1),
        "output_type": "np",
    }


def _draw(module: nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in module.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if parameter.ndim > 1 and name.endswith("weight"):
            parameter.data = noise * (parameter.shape[0] / parameter.numel()) ** 0.5
        else:
            parameter.data = (1.0 if name.endswith("weight") else 0.0) + 0.1 * noise


def _slow_time(transformer: WanTransformer3DModel) -> None:
    first = transformer.condition_embedder.time_embedder.linear_1
    half = first.in_features // 2
    turns = 1000 * 10000 ** (-torch.arange(half) / half)
    seen = ((turns > 0.3) & (turns < 4)).float().repeat(2)
    first.weight.data *= seen * (2 * half / seen.sum()) ** 0.5
