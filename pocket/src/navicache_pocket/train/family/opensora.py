"""Open-Sora in small: rectified flow, blocks over space and over time, its guidance batched in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import T5Config, T5EncoderModel

from navicache_opensora import AutoencoderOpenSora, OpenSoraPipeline, RectifiedFlowScheduler, STDiT3Transformer
from navicache_opensora.prompts import PromptScores, append_scores
from navicache_pocket.train import tokenizer as words
from navicache_pocket.train.family import plain
from navicache_pocket.train.family.noise import Flow, Process
from navicache_pocket.train.family.recipe import Code, Config, Pictures, trainable
from navicache_pocket.train.folder import save
from navicache_pocket.world import vocabulary

TEXT_LENGTH = 48  # the longest caption and what the pipeline says about its beauty
FPS = 24.0  # what the pipeline tells the model unless told otherwise
CHANNELS = 24
AUTOENCODER: Config = {
    "vae_2d": {
        "block_out_channels": (32, 48, 48, 48),
        "layers_per_block": 1,
        "norm_num_groups": 8,
        "latent_channels": CHANNELS,
        "sample_size": 64,
        "mid_block_add_attention": False,
    },
    "vae_temporal": {
        "in_out_channels": CHANNELS,
        "latent_embed_dim": CHANNELS,
        "embed_dim": CHANNELS,
        "filters": 40,
        "num_res_blocks": 1,
        "channel_multipliers": (1, 1, 1),
        "temporal_downsample": (True, True),
        "num_groups": 8,
    },
    "micro_batch_size": 17,
    "spatial_scaling": 1.0,
}
TRANSFORMER: Config = {
    "depth": 4,
    "hidden_size": 192,
    "num_heads": 4,
    "patch_size": (1, 1, 1),
    "in_channels": CHANNELS,
    "pred_sigma": False,
    "mlp_ratio": 3.0,
    "caption_channels": 128,
    "model_max_length": TEXT_LENGTH,
    "input_sq_size": 64,
}
TEXT: Config = {
    "d_model": 128,
    "d_kv": 32,
    "d_ff": 256,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "gated-gelu",
    "dropout_rate": 0.0,
}
# The timestep transform would leave a video this small one step in thirty for the first tenth of the noise.
SCHEDULER: Config = {"use_timestep_transform": False}


class OpenSoraDenoiser(nn.Module):
    """The transformer and its text encoder."""

    def __init__(self, recipe: "OpenSora") -> None:
        """With fresh weights."""
        super().__init__()
        self.size = recipe.pictures.size
        self.text_encoder = T5EncoderModel(T5Config(vocab_size=3 + len(vocabulary()), **recipe.text))
        self.transformer = trainable(STDiT3Transformer(**recipe.transformer))

    def forward(
        self, noisy: torch.Tensor, time: torch.Tensor, ids: torch.Tensor, dropped: torch.Tensor, guidance: torch.Tensor
    ) -> torch.Tensor:
        """The velocity; without its caption a row sees as much of the null caption as its own is long."""
        del guidance
        mask = (ids != 0).long()
        text = self.text_encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        null = self.transformer.y_embedder.y_embedding[: ids.shape[1]]
        text = torch.where(dropped[:, None, None], null.to(text.dtype), text)
        fps, side = (torch.full((len(noisy),), float(value), device=noisy.device) for value in (FPS, self.size))
        return self.transformer(noisy, time, text[:, None], mask, None, fps, side, side, return_dict=False)[0]


@dataclass(frozen=True)
class OpenSora:
    """The recipe; other configurations make a smaller one."""

    name: str = "opensora"
    pictures: Pictures = Pictures(17, 64)
    distilled: bool = False
    noise: Process = Flow(shift=1.5, towards_noise=False)
    vae: Config = field(default_factory=lambda: AUTOENCODER)
    transformer: Config = field(default_factory=lambda: TRANSFORMER)
    text: Config = field(default_factory=lambda: TEXT)

    def autoencoder(self) -> nn.Module:
        """Eight by eight pixels, then four frames, to one latent."""
        vae: Any = AutoencoderOpenSora(**self.vae)
        plain.hush(vae.spatial_vae.module.quant_conv)
        plain.hush(vae.temporal_vae.quant_conv.conv)
        return trainable(vae)

    def encode(self, vae: Any, video: torch.Tensor) -> Code:
        """Both halves draw from their posterior, and both are kept near a unit normal."""
        frames = vae.spatial_vae.module.encode(video.transpose(1, 2).flatten(0, 1)).latent_dist
        drawn = frames.sample().unflatten(0, (len(video), -1)).transpose(1, 2) * vae.spatial_vae.scaling_factor
        posterior = vae.temporal_vae.encode(drawn)
        return Code(posterior.sample(), plain.divergence(frames) + plain.divergence(posterior))

    def decode(self, vae: Any, latents: torch.Tensor) -> torch.Tensor:
        """All frames at once; the pipeline's decoder goes through them in micro batches."""
        frames = vae.temporal_vae.decode(latents, self.pictures.frames)
        images = vae.spatial_vae.decode(frames.transpose(1, 2).flatten(0, 1))
        return images.unflatten(0, (len(latents), -1)).transpose(1, 2)

    def settle(self, vae: Any, deviation: float) -> None:
        """A buffer of the autoencoder."""
        vae.scale.fill_(deviation)

    def denoiser(self) -> OpenSoraDenoiser:
        """With fresh weights."""
        return OpenSoraDenoiser(self)

    def tokens(self, captions: Sequence[str]) -> torch.Tensor:
        """Captions with the score that the pipeline appends; its cleaning would change nothing in them."""
        texts = [append_scores(caption, PromptScores()) for caption in captions]
        return words.encode(words.build(vocabulary()), texts, TEXT_LENGTH)

    def pack(self, vae: Any, denoiser: OpenSoraDenoiser, folder: Path) -> None:
        """As our own pipeline opens it."""
        parts: dict[str, Any] = {
            "tokenizer": words.build(vocabulary()),
            "text_encoder": denoiser.text_encoder,
            "vae": vae,
            "transformer": denoiser.transformer,
            "scheduler": RectifiedFlowScheduler(**SCHEDULER),
        }
        save(OpenSoraPipeline(**parts), folder)
