"""The training pool: wild scenes, rendered and encoded by wan's autoencoder, and the embeddings of all captions."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from diffusers import AutoencoderKLWan
from transformers import PreTrainedTokenizerFast, UMT5EncoderModel

from navicache_pocket.train.fast_autoencoder import replace_norms
from navicache_pocket.world.render import FRAMES, SIZE, draw_objects
from navicache_pocket.world.wild import (
    CROWD,
    draw_wild_scenes,
    list_wild_captions,
    number_wild_captions,
    render_wild_videos,
    select_scenes,
)

BATCH_SIZE = 128
MAX_TOKENS = 8


@dataclass(frozen=True)
class LatentPool:
    """Latents as wan's pipeline scales them, and the row of each caption in the text table."""

    values: torch.Tensor  # (clips, 16, frames, rows, columns), bfloat16
    captions: torch.Tensor  # (clips,)
    text: torch.Tensor  # (captions + 1, MAX_TOKENS, channels): the last row is the empty caption


@dataclass(frozen=True)
class PoolSettings:
    """What is in the pool."""

    clips: int = 40960
    seed: int = 0
    crowd: int = CROWD
    frames: int = FRAMES
    size: int = SIZE
    max_seconds: float = 70.0  # of rendering and encoding: the pool is smaller on a slow machine


@torch.no_grad()
def embed_captions(base: Path, captions: Sequence[str], device: str) -> torch.Tensor:
    """Rows (captions, MAX_TOKENS, channels) as WanPipeline embeds them, zero after the end token."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(base / "tokenizer")
    encoder: Any = UMT5EncoderModel.from_pretrained(base / "text_encoder").float().eval()
    given = tokenizer(list(captions), padding="max_length", max_length=MAX_TOKENS, return_tensors="pt").to(device)
    rows = encoder.to(device)(given.input_ids, given.attention_mask).last_hidden_state
    return rows * given.attention_mask.unsqueeze(-1)


@torch.no_grad()
def build_pool(base: Path, device: str, settings: PoolSettings) -> LatentPool:
    """Latents of wan's autoencoder, and the embeddings of all captions."""
    vae: Any = AutoencoderKLWan.from_pretrained(base, subfolder="vae", torch_dtype=torch.float32)
    vae = replace_norms(vae.to(device)).requires_grad_(False).eval()
    values, captions = encode_clips(lambda videos: encode_videos(vae, videos), device, settings)
    return LatentPool(values, captions, embed_captions(base, [*list_wild_captions(), ""], device))


@torch.no_grad()
def encode_clips(
    encode: Callable[[torch.Tensor], torch.Tensor], device: str, settings: PoolSettings
) -> tuple[torch.Tensor, torch.Tensor]:
    """Render and encode until there are enough clips or the time is up: latents, and the number of each one's caption.

    `encode` may return several rows for each clip, those of a clip one after another.
    """
    draw: Any = torch.compile(draw_objects) if device == "cuda" else draw_objects
    scenes = draw_wild_scenes(settings.clips, settings.seed, settings.crowd)
    begun, parts = time.monotonic(), list[torch.Tensor]()
    for start in range(0, settings.clips, BATCH_SIZE):
        part = select_scenes(scenes, slice(start, start + BATCH_SIZE), device)
        parts.append(encode(render_wild_videos(part, settings.frames, settings.size, draw)).to(torch.bfloat16))
        if time.monotonic() - begun > settings.max_seconds:
            break
    values, clips = torch.cat(parts), min(settings.clips, BATCH_SIZE * len(parts))
    print(f"pool: {clips} clips in {time.monotonic() - begun:.0f} s, deviation {values.float().std():.2f}", flush=True)
    captions = number_wild_captions(scenes)[:clips].to(device)
    return values, captions.repeat_interleave(len(values) // clips)


def encode_videos(vae: Any, video: torch.Tensor) -> torch.Tensor:
    """Sampled latents, scaled as wan's pipeline scales them."""
    with torch.autocast(video.device.type, dtype=torch.bfloat16, enabled=video.device.type == "cuda"):
        latents = vae.encode(video.contiguous(memory_format=torch.channels_last_3d)).latent_dist.sample()
    mean, deviation = (
        torch.tensor(values, device=video.device).view(1, -1, 1, 1, 1)
        for values in (vae.config.latents_mean, vae.config.latents_std)
    )
    return (latents.float() - mean) / deviation
