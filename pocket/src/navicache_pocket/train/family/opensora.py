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
from navicache_pocket.train.family import diffusers_vae
from navicache_pocket.train.family.noise import FlowNoise, NoiseProcess
from navicache_pocket.train.family.recipe import EncodedVideos, ModelConfig, VideoFormat, enable_gradients
from navicache_pocket.train.pipeline_folder import save_pipeline
from navicache_pocket.world import list_vocabulary

TEXT_LENGTH = 48  # the longest caption and the aesthetic score that the pipeline appends
FPS = 24.0  # the pipeline's default
CHANNELS = 24
AUTOENCODER: ModelConfig = {
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
TRANSFORMER: ModelConfig = {
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
TEXT_ENCODER: ModelConfig = {
    "d_model": 128,
    "d_kv": 32,
    "d_ff": 256,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "gated-gelu",
    "dropout_rate": 0.0,
}
# The timestep transform would leave a video this small one step in thirty for the first tenth of the noise.
SCHEDULER: ModelConfig = {"use_timestep_transform": False}


class OpenSoraDenoiser(nn.Module):
    """The transformer and its text encoder."""

    def __init__(self, recipe: "OpenSoraRecipe") -> None:
        """With random weights."""
        super().__init__()
        self.size = recipe.video_format.size
        self.text_encoder = T5EncoderModel(T5Config(vocab_size=3 + len(list_vocabulary()), **recipe.text))
        self.transformer = enable_gradients(STDiT3Transformer(**recipe.transformer))

    def forward(
        self,
        noisy: torch.Tensor,
        timestep: torch.Tensor,
        token_ids: torch.Tensor,
        is_dropped: torch.Tensor,
        guidance: torch.Tensor,
    ) -> torch.Tensor:
        """The velocity; a row without its caption gets the null caption, cut to the length of its own."""
        del guidance
        mask = (token_ids != 0).long()
        text = self.text_encoder(input_ids=token_ids, attention_mask=mask).last_hidden_state
        null = self.transformer.y_embedder.y_embedding[: token_ids.shape[1]]
        text = torch.where(is_dropped[:, None, None], null.to(text.dtype), text)
        fps, side = (torch.full((len(noisy),), float(value), device=noisy.device) for value in (FPS, self.size))
        return self.transformer(noisy, timestep, text[:, None], mask, None, fps, side, side, return_dict=False)[0]


@dataclass(frozen=True)
class OpenSoraRecipe:
    """The recipe; tests pass smaller configurations."""

    name: str = "opensora"
    video_format: VideoFormat = VideoFormat(17, 64)
    is_distilled: bool = False
    noise_process: NoiseProcess = FlowNoise(shift=1.5, points_to_noise=False)
    vae: ModelConfig = field(default_factory=lambda: AUTOENCODER)
    transformer: ModelConfig = field(default_factory=lambda: TRANSFORMER)
    text: ModelConfig = field(default_factory=lambda: TEXT_ENCODER)

    def make_autoencoder(self) -> nn.Module:
        """Eight by eight pixels, then four frames, to one latent."""
        vae: Any = AutoencoderOpenSora(**self.vae)
        diffusers_vae.narrow_posterior(vae.spatial_vae.module.quant_conv)
        diffusers_vae.narrow_posterior(vae.temporal_vae.quant_conv.conv)
        return enable_gradients(vae)

    def encode(self, vae: Any, video: torch.Tensor) -> EncodedVideos:
        """Both halves draw from their posterior, and both are kept near a unit normal."""
        frames = vae.spatial_vae.module.encode(video.transpose(1, 2).flatten(0, 1)).latent_dist
        drawn = frames.sample().unflatten(0, (len(video), -1)).transpose(1, 2) * vae.spatial_vae.scaling_factor
        posterior = vae.temporal_vae.encode(drawn)
        return EncodedVideos(
            posterior.sample(), diffusers_vae.measure_divergence(frames) + diffusers_vae.measure_divergence(posterior)
        )

    def decode(self, vae: Any, latents: torch.Tensor) -> torch.Tensor:
        """All frames at once; the pipeline's decoder goes through them in micro batches."""
        frames = vae.temporal_vae.decode(latents, self.video_format.frames)
        images = vae.spatial_vae.decode(frames.transpose(1, 2).flatten(0, 1))
        return images.unflatten(0, (len(latents), -1)).transpose(1, 2)

    def set_latent_deviation(self, vae: Any, deviation: float) -> None:
        """A buffer of the autoencoder."""
        vae.scale.fill_(deviation)

    def make_denoiser(self) -> OpenSoraDenoiser:
        """With random weights."""
        return OpenSoraDenoiser(self)

    def tokenize(self, captions: Sequence[str]) -> torch.Tensor:
        """Token ids of the captions with the score that the pipeline appends; its cleaning would not change them."""
        texts = [append_scores(caption, PromptScores()) for caption in captions]
        return words.encode_captions(words.build_tokenizer(list_vocabulary()), texts, TEXT_LENGTH)

    def save_pipeline(self, vae: Any, denoiser: OpenSoraDenoiser, folder: Path) -> None:
        """As our own pipeline opens it."""
        parts: dict[str, Any] = {
            "tokenizer": words.build_tokenizer(list_vocabulary()),
            "text_encoder": denoiser.text_encoder,
            "vae": vae,
            "transformer": denoiser.transformer,
            "scheduler": RectifiedFlowScheduler(**SCHEDULER),
        }
        save_pipeline(OpenSoraPipeline(**parts), folder)
