"""The trained parts as one plain diffusers folder, which WanPipeline opens by itself."""

from pathlib import Path
from typing import Any

from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanPipeline

from navicache_pocket.train import configs
from navicache_pocket.train import tokenizer as tokens
from navicache_pocket.train.denoiser import Denoiser
from navicache_pocket.train.folder import save
from navicache_pocket.world import vocabulary


def pack(autoencoder: AutoencoderKLWan, denoiser: Denoiser, folder: Path) -> None:
    """Write the checkpoint."""
    parts: dict[str, Any] = {
        "tokenizer": tokens.build(vocabulary()),
        "text_encoder": denoiser.text_encoder,
        "vae": autoencoder,
        "transformer": denoiser.transformer,
        "scheduler": UniPCMultistepScheduler(**configs.SCHEDULER),
    }
    save(WanPipeline(**parts), folder)
