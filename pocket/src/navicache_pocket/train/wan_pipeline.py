"""The trained parts of wan as a diffusers folder, which `WanPipeline` opens."""

from pathlib import Path
from typing import Any

from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanPipeline

from navicache_pocket.train import configs
from navicache_pocket.train import tokenizer as tokens
from navicache_pocket.train.denoiser import WanDenoiser
from navicache_pocket.train.pipeline_folder import save_pipeline
from navicache_pocket.world import list_vocabulary


def save_wan_pipeline(autoencoder: AutoencoderKLWan, denoiser: WanDenoiser, folder: Path) -> None:
    """Write the checkpoint."""
    parts: dict[str, Any] = {
        "tokenizer": tokens.build_tokenizer(list_vocabulary()),
        "text_encoder": denoiser.text_encoder,
        "vae": autoencoder,
        "transformer": denoiser.transformer,
        "scheduler": UniPCMultistepScheduler(**configs.SCHEDULER),
    }
    save_pipeline(WanPipeline(**parts), folder)
