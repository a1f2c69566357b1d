"""FLUX in small: images, two kinds of blocks, two text encoders, guidance by a second call."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
from torch import nn
from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

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

SOURCE = "unet"  # the member whose autoencoder it has
COMPRESSION = 8  # pixels to a token: four of the autoencoder, and two by two latents are packed
SIZE = 128
MEMBER = Member(
    "flux",
    "FluxPipeline",
    {
        **{"num_inference_steps": 50, "height": SIZE, "width": SIZE, "max_sequence_length": TEXT_LENGTH},
        # the pipeline guides by a second call, with the negative prompt, if it is given one
        **{"guidance_scale": 1.0, "true_cfg_scale": 4.0, "negative_prompt": ""},
    },
    kind="image",
    caption=EXAMPLE,
)
TRANSFORMER: ModelConfig = {
    "in_channels": 16,
    "num_layers": 2,
    "num_single_layers": 9,
    "attention_head_dim": 64,
    "num_attention_heads": 3,
    "joint_attention_dim": 64,
    "pooled_projection_dim": 64,
    "axes_dims_rope": (8, 28, 28),
}
CLIP: ModelConfig = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "max_position_embeddings": TEXT_LENGTH,
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 1,
}


class FluxDenoiser(nn.Module):
    """The transformer and its two text encoders."""

    token_ids: torch.Tensor
    image_ids: torch.Tensor
    text_ids: torch.Tensor

    def __init__(self, recipe: "FluxRecipe") -> None:
        """With random weights; at first the velocity is zero."""
        super().__init__()
        known = 3 + len(list_vocabulary())
        self.text_encoder = CLIPTextModel(CLIPTextConfig(vocab_size=known, **recipe.clip))
        self.text_encoder_2 = T5EncoderModel(T5Config(vocab_size=known, **recipe.t5))
        model: Any = FluxTransformer2DModel(**recipe.transformer)
        start_at_zero(model.proj_out)
        # The model rounds timesteps to the dtype of its first layer's output, which autocast makes bfloat16.
        model.x_embedder.register_forward_hook(lambda module, given, output: output.float())
        self.transformer = model
        side = recipe.size // COMPRESSION
        image_ids = FluxPipeline._prepare_latent_image_ids(1, side, side, torch.device("cpu"), torch.float32)
        self.register_buffer("image_ids", image_ids, persistent=False)
        self.register_buffer("text_ids", torch.zeros(TEXT_LENGTH, 3), persistent=False)
        self.register_buffer("token_ids", tokenize_all_captions(), persistent=False)

    def forward(self, noisy: torch.Tensor, timestep: torch.Tensor, captions: torch.Tensor) -> torch.Tensor:
        """The velocity; every caption is embedded once, with its padding, which the pipeline does not mask."""
        return self.transformer(
            hidden_states=noisy,
            timestep=timestep / 1000,
            encoder_hidden_states=self.text_encoder_2(self.token_ids)[0][captions],
            pooled_projections=self.text_encoder(self.token_ids).pooler_output[captions],
            txt_ids=self.text_ids,
            img_ids=self.image_ids,
            return_dict=False,
        )[0]


@dataclass(frozen=True)
class FluxRecipe:
    """The recipe; tests pass smaller configurations."""

    member: Member = MEMBER
    frames: int = 3  # of a clip, each of which is a picture of its own
    size: int = SIZE
    transformer: ModelConfig = field(default_factory=lambda: TRANSFORMER)
    t5: ModelConfig = field(default_factory=lambda: T5)
    clip: ModelConfig = field(default_factory=lambda: CLIP)

    def open_encoder(self, device: str) -> Callable[[torch.Tensor], torch.Tensor]:
        """Each frame is a row."""
        vae = self._open_autoencoder().to(device).requires_grad_(False).eval()

        def encode(videos: torch.Tensor) -> torch.Tensor:
            images = videos.transpose(1, 2).flatten(0, 1).contiguous(memory_format=torch.channels_last)
            with autocast_on_gpu(images):
                latents = vae.encode(images).latent_dist.sample().float() * vae.config.scaling_factor
            return FluxPipeline._pack_latents(latents, *latents.shape)

        return encode

    def make_denoiser(self) -> FluxDenoiser:
        """With random weights."""
        return FluxDenoiser(self)

    def get_time_embedder(self, denoiser: FluxDenoiser) -> Any:
        """Beside that of the pooled text."""
        return denoiser.transformer.time_text_embed.timestep_embedder

    def save_pipeline(self, denoiser: FluxDenoiser, folder: Path) -> None:
        """With the sampler's shift."""
        tokenizers = (words.build_tokenizer(list_vocabulary(), TEXT_LENGTH) for _ in range(2))
        parts: dict[str, Any] = {
            **dict(zip(("tokenizer", "tokenizer_2"), tokenizers, strict=True)),
            "text_encoder": denoiser.text_encoder,
            "text_encoder_2": denoiser.text_encoder_2,
            "vae": self._open_autoencoder(),
            "transformer": denoiser.transformer,
            "scheduler": FlowMatchEulerDiscreteScheduler(shift=SHIFT),
        }
        save_with_autoencoder(FluxPipeline(**parts), folder, SOURCE, shift_factor=0.0)

    def _open_autoencoder(self) -> Any:
        return AutoencoderKL.from_pretrained(MEMBERS_FOLDER / SOURCE, subfolder="vae", torch_dtype=torch.float32)
