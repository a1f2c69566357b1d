"""The VAE of Open-Sora 1.2: a spatial VAE frame by frame, then a temporal one in groups of 17 frames."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from diffusers import AutoencoderKL
from diffusers.configuration_utils import ConfigMixin, register_to_config
from diffusers.models.autoencoders.vae import DecoderOutput, DiagonalGaussianDistribution
from diffusers.models.modeling_utils import ModelMixin
from diffusers.utils.accelerate_utils import apply_forward_hook
from torch import Tensor, nn

from navicache_opensora.checkpoint import PublishedMixin, known_settings
from navicache_opensora.temporal_vae import TemporalVAE

SPATIAL = {
    "in_channels": 3,
    "out_channels": 3,
    "down_block_types": ("DownEncoderBlock2D",) * 4,
    "up_block_types": ("UpDecoderBlock2D",) * 4,
    "block_out_channels": (128, 256, 512, 512),
    "layers_per_block": 2,
    "act_fn": "silu",
    "latent_channels": 4,
    "norm_num_groups": 32,
    "sample_size": 512,
}
SHIFT, SCALE = {4: (-0.10, 0.34, 0.27, 0.98)}, {4: (3.85, 2.32, 2.33, 3.06)}  # published, by latent channels


class SpatialVAE(nn.Module):
    """Frames as independent images, a few at a time."""

    def __init__(self, config: Mapping[str, Any], scaling: float) -> None:
        """`scaling` is 0.18215 in the published weights, whatever the configuration of their VAE says."""
        super().__init__()
        self.scaling = scaling
        self.module = AutoencoderKL(**config)

    def encode(self, images: Tensor, generator: torch.Generator | None, sample: bool) -> Tensor:
        """(images, 3, height, width) to latents."""
        return draw(self.module.encode(images, return_dict=False)[0], generator, sample) * self.scaling

    def decode(self, latents: Tensor) -> Tensor:
        """Latents to (images, 3, height, width)."""
        scaled: Any = latents / self.scaling  # annotated as a FloatTensor upstream
        return self.module.decode(scaled, return_dict=False)[0]


class AutoencoderOpenSora(PublishedMixin, ModelMixin, ConfigMixin):
    """Videos to normalised latents and back; the defaults are the published VAE 1.2.

    Memory: images pass the spatial VAE `micro_batch_size` at a time and groups of `micro_frame_size` frames pass the
    temporal one; `enable_tiling` cuts the images too.

    Args:
        vae_2d: settings of diffusers' AutoencoderKL, over those of the published one.
        vae_temporal: settings of TemporalVAE, over those of the published one.
        micro_frame_size: frames that are encoded together, independent of all others.
        micro_batch_size: images that pass the spatial VAE together.
        shift: mean of each latent channel, taken off; None: the published ones of four channels, for others 0.
        scale: spread of each latent channel, divided by; None: the published ones of four channels, for others 1.
        spatial_scaling: factor of the spatial latents.
    """

    _no_split_modules = ["ResidualBlock"]
    ignore_for_config = ["shift", "scale"]  # buffers of these names are in every checkpoint

    shift: Tensor
    scale: Tensor

    @register_to_config
    def __init__(
        self,
        vae_2d: dict[str, Any] | None = None,
        vae_temporal: dict[str, Any] | None = None,
        micro_frame_size: int = 17,
        micro_batch_size: int = 4,
        shift: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        spatial_scaling: float = 0.18215,
    ) -> None:
        """Random weights."""
        super().__init__()
        self.micro_batch_size = micro_batch_size
        spatial = {**SPATIAL, **known_settings(AutoencoderKL, vae_2d or {})}
        temporal = known_settings(TemporalVAE, vae_temporal or {})
        self.register_to_config(vae_2d=spatial, vae_temporal=temporal)  # without settings of training code
        self.spatial_vae = SpatialVAE(spatial, spatial_scaling)
        self.temporal_vae = TemporalVAE(**temporal)
        channels = self.temporal_vae.channels  # a checkpoint holds its own numbers, so here their count must be right
        self.register_buffer("scale", each_channel(scale or SCALE.get(channels) or [1.0] * channels, channels))
        self.register_buffer("shift", each_channel(shift or SHIFT.get(channels) or [0.0] * channels, channels))
        self.requires_grad_(False)

    @apply_forward_hook
    def encode(self, x: Tensor, sample_posterior: bool = True, generator: torch.Generator | None = None) -> Tensor:
        """Normalised latents of (batch, 3, frames, height, width) in [-1, 1].

        Both halves draw from their posterior; `sample_posterior=False` takes the means.
        """
        _check_dtype("x", x, self.dtype)
        images = x.transpose(1, 2).flatten(0, 1)
        parts = [self.spatial_vae.encode(part, generator, sample_posterior) for part in self._in_batches(images)]
        frames = torch.cat(parts).unflatten(0, (len(x), -1)).transpose(1, 2)
        groups = frames.split(self.config["micro_frame_size"], dim=2)
        latents = [draw(self.temporal_vae.encode(group), generator, sample_posterior) for group in groups]
        return (torch.cat(latents, dim=2) - self.shift) / self.scale

    @apply_forward_hook
    def decode(self, z: Tensor, num_frames: int, return_dict: bool = True) -> DecoderOutput | tuple[Tensor]:
        """Video (batch, 3, num_frames, height, width); the length tells how many frames the last group has."""
        _check_dtype("z", z, self.dtype)
        self._check_length(z, num_frames)
        groups = (z * self.scale + self.shift).split(self.micro_latents, dim=2)
        step = self.config["micro_frame_size"]
        lengths = [min(step, num_frames - step * index) for index in range(len(groups))]
        frames = torch.cat(
            [self.temporal_vae.decode(group, length) for group, length in zip(groups, lengths, strict=True)], dim=2
        )
        images = frames.transpose(1, 2).flatten(0, 1)
        video = torch.cat([self.spatial_vae.decode(part) for part in self._in_batches(images)])
        video = video.unflatten(0, (len(z), -1)).transpose(1, 2)
        return DecoderOutput(sample=video) if return_dict else (video,)

    def forward(self, x: Tensor) -> Tensor:
        """There and back, without noise."""
        return self.decode(self.encode(x, sample_posterior=False), x.shape[2], return_dict=False)[0]

    @property
    def micro_latents(self) -> int:
        """Latent frames of a full group."""
        return -(-self.config["micro_frame_size"] // self.temporal_vae.factor)

    def enable_tiling(self) -> None:
        """Cut images into tiles in the spatial VAE: less memory, and seams can differ slightly."""
        self.spatial_vae.module.enable_tiling()

    def disable_tiling(self) -> None:
        """Images as a whole again."""
        self.spatial_vae.module.disable_tiling()

    def enable_slicing(self) -> None:
        """One image at a time: the least memory without seams."""
        self.micro_batch_size = 1

    def disable_slicing(self) -> None:
        """As many images at a time as the configuration says."""
        self.micro_batch_size = self.config["micro_batch_size"]

    def _in_batches(self, images: Tensor) -> tuple[Tensor, ...]:
        return images.split(self.micro_batch_size)

    def _check_length(self, z: Tensor, num_frames: int) -> None:
        whole, rest = divmod(num_frames, self.config["micro_frame_size"])
        wanted = whole * self.micro_latents + -(-rest // self.temporal_vae.factor)
        if wanted != z.shape[2] or num_frames < 1:
            raise ValueError(f"{num_frames} frames have {wanted} latent frames, and z has {z.shape[2]}")


def draw(posterior: DiagonalGaussianDistribution, generator: torch.Generator | None, sample: bool) -> Tensor:
    """A sample, or the mean."""
    return posterior.sample(generator) if sample else posterior.mode()


def each_channel(values: Sequence[float], channels: int) -> Tensor:
    """(1, channels, 1, 1, 1)."""
    if len(values) != channels:
        raise ValueError(f"shift and scale need one number for each of {channels} latent channels, got {len(values)}")
    return torch.tensor(values).view(1, -1, 1, 1, 1)


def _check_dtype(name: str, value: Tensor, dtype: torch.dtype) -> None:
    if value.dtype != dtype:
        raise TypeError(f"{name} is {value.dtype} and the VAE {dtype}: pass {name}.to(vae.dtype)")
