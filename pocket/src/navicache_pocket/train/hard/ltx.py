"""LTX-Video in small, with the autoencoder of LTX-2, which its pipeline takes as well."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AutoencoderKLLTX2Video,
    FlowMatchEulerDiscreteScheduler,
    LTXPipeline,
    LTXVideoTransformer3DModel,
)
from torch import nn
from transformers import T5Config, T5EncoderModel

from navicache.pocket.members import Member
from navicache_pocket.train import tokenizer as words
from navicache_pocket.train.family.autoencoding import autocast_on_gpu
from navicache_pocket.train.family.recipe import ModelConfig
from navicache_pocket.train.hard.recipe import (
    EXAMPLE,
    MEMBERS_FOLDER,
    SHIFT,
    T5,
    TEXT_LENGTH,
    save_with_autoencoder,
    start_at_zero,
    tokenize_all_captions,
)
from navicache_pocket.world import list_vocabulary

SOURCE = "sound"  # the member whose autoencoder it has
TIME_COMPRESSION, COMPRESSION = 4, 8  # frames and pixels to a token
FPS = 8
FRAMES, SIZE = 9, 96
MEMBER = Member(
    "ltx",
    "LTXPipeline",
    {
        **{"num_inference_steps": 50, "guidance_scale": 4.0, "max_sequence_length": TEXT_LENGTH},
        **{"num_frames": FRAMES, "height": SIZE, "width": SIZE, "frame_rate": FPS},
    },
    fps=FPS,
    caption=EXAMPLE,
)
TRANSFORMER: ModelConfig = {
    "in_channels": 24,
    "out_channels": 24,
    "num_attention_heads": 4,
    "attention_head_dim": 64,
    "cross_attention_dim": 256,
    "num_layers": 6,
    "caption_channels": 64,
}


class LTXDenoiser(nn.Module):
    """The transformer and its text encoder."""

    token_ids: torch.Tensor

    def __init__(self, recipe: "LTXRecipe") -> None:
        """With random weights."""
        super().__init__()
        self.text_encoder = T5EncoderModel(T5Config(vocab_size=3 + len(list_vocabulary()), **recipe.t5))
        self.transformer: Any = LTXVideoTransformer3DModel(**recipe.transformer)
        start_at_zero(self.transformer.proj_out)
        side = recipe.size // COMPRESSION
        self.shape = {
            "num_frames": (recipe.frames - 1) // TIME_COMPRESSION + 1,
            "height": side,
            "width": side,
            "rope_interpolation_scale": (TIME_COMPRESSION / FPS, COMPRESSION, COMPRESSION),
        }
        self.register_buffer("token_ids", tokenize_all_captions(), persistent=False)

    def forward(self, noisy: torch.Tensor, timestep: torch.Tensor, captions: torch.Tensor) -> torch.Tensor:
        """The velocity; every caption is embedded once: the text encoder reads padding, the transformer does not."""
        return self.transformer(
            hidden_states=noisy,
            encoder_hidden_states=self.text_encoder(self.token_ids)[0][captions],
            timestep=timestep,
            encoder_attention_mask=(self.token_ids != 0)[captions],
            **self.shape,
            return_dict=False,
        )[0]


@dataclass(frozen=True)
class LTXRecipe:
    """The recipe; tests pass smaller configurations."""

    member: Member = MEMBER
    frames: int = FRAMES
    size: int = SIZE
    transformer: ModelConfig = field(default_factory=lambda: TRANSFORMER)
    t5: ModelConfig = field(default_factory=lambda: T5)

    def open_encoder(self, device: str) -> Callable[[torch.Tensor], torch.Tensor]:
        """Each clip is a row."""
        vae = self._open_autoencoder().to(device).requires_grad_(False).eval()

        def encode(videos: torch.Tensor) -> torch.Tensor:
            with autocast_on_gpu(videos):
                latents = vae.encode(videos.contiguous(memory_format=torch.channels_last_3d)).latent_dist.sample()
            moments = (vae.latents_mean, vae.latents_std, vae.config.scaling_factor)
            return LTXPipeline._pack_latents(LTXPipeline._normalize_latents(latents.float(), *moments))

        return encode

    def make_denoiser(self) -> LTXDenoiser:
        """With random weights."""
        return LTXDenoiser(self)

    def get_time_embedder(self, denoiser: LTXDenoiser) -> Any:
        """The only one."""
        return denoiser.transformer.time_embed.emb.timestep_embedder

    def save_pipeline(self, denoiser: LTXDenoiser, folder: Path) -> None:
        """With the sampler's shift."""
        parts: dict[str, Any] = {
            "tokenizer": words.build_tokenizer(list_vocabulary(), TEXT_LENGTH),
            "text_encoder": denoiser.text_encoder,
            "vae": self._open_autoencoder(),
            "transformer": denoiser.transformer,
            "scheduler": FlowMatchEulerDiscreteScheduler(shift=SHIFT),
        }
        save_with_autoencoder(LTXPipeline(**parts), folder, SOURCE)

    def _open_autoencoder(self) -> Any:
        return AutoencoderKLLTX2Video.from_pretrained(
            MEMBERS_FOLDER / SOURCE, subfolder="vae", torch_dtype=torch.float32
        )
