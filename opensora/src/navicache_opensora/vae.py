"""The VAE of Open-Sora 1.2: a spatial VAE for single frames, then a temporal VAE for groups of 17 frames."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from diffusers import AutoencoderKL
from diffusers.configuration_utils import ConfigMixin, register_to_config
from diffusers.models.autoencoders.vae import DecoderOutput, DiagonalGaussianDistribution
from diffusers.models.modeling_utils import ModelMixin
from diffusers.utils.accelerate_utils import apply_forward_hook
from torch import Tensor, nn

from navicache_opensora.checkpoint import PublishedCheckpointMixin, select_init_arguments
from navicache_opensora.temporal_vae import TemporalVAE

SPATIAL_VAE_CONFIG = {
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
    """Encodes and decodes frames as independent images."""

    def __init__(self, config: Mapping[str, Any], scaling_factor: float) -> None:
        """`scaling_factor` is 0.18215 for the published weights, whatever their configuration says."""
        super().__init__()
        self.scaling_factor = scaling_factor
        self.module = AutoencoderKL(**config)

    def encode(self, images: Tensor, generator: torch.Generator | None, sample: bool) -> Tensor:
        """(images, 3, height, width) to latents."""
        return sample_or_mean(self.module.encode(images, return_dict=False)[0], generator, sample) * self.scaling_factor

    def decode(self, latents: Tensor) -> Tensor:
        """Latents to (images, 3, height, width)."""
        scaled: Any = latents / self.scaling_factor  # annotated as a FloatTensor upstream
        return self.module.decode(scaled, return_dict=False)[0]


class AutoencoderOpenSora(PublishedCheckpointMixin, ModelMixin, ConfigMixin):
    """Encodes videos to normalised latents and decodes them; the defaults are the published VAE 1.2.

    To save memory, the spatial VAE takes `micro_batch_size` images at a time and the temporal VAE groups of
    `micro_frame_size` frames; `enable_tiling` also splits the images.

    Args:
        vae_2d: arguments of diffusers' AutoencoderKL that replace the published ones.
        vae_temporal: arguments of TemporalVAE that replace the published ones.
        micro_frame_size: frames that are encoded together, independently of all others.
        micro_batch_size: images that the spatial VAE takes at a time.
        shift: subtracted from each latent channel; None: the published values for four channels, otherwise 0.
        scale: divides each latent channel; None: the published values for four channels, otherwise 1.
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
        spatial = {**SPATIAL_VAE_CONFIG, **select_init_arguments(AutoencoderKL, vae_2d or {})}
        temporal = select_init_arguments(TemporalVAE, vae_temporal or {})
        self.register_to_config(vae_2d=spatial, vae_temporal=temporal)  # without the settings for training
        self.spatial_vae = SpatialVAE(spatial, spatial_scaling)
        self.temporal_vae = TemporalVAE(**temporal)
        channels = self.temporal_vae.latent_channels  # a checkpoint brings its own values for these buffers
        self.register_buffer("scale", expand_channels(scale or SCALE.get(channels) or [1.0] * channels, channels))
        self.register_buffer("shift", expand_channels(shift or SHIFT.get(channels) or [0.0] * channels, channels))
        self.requires_grad_(False)

    @apply_forward_hook
    def encode(self, x: Tensor, sample_posterior: bool = True, generator: torch.Generator | None = None) -> Tensor:
        """Normalised latents of (batch, 3, frames, height, width) in [-1, 1].

        Both VAEs sample from their posterior; `sample_posterior=False` takes its mean.
        """
        _check_dtype("x", x, self.dtype)
        images = x.transpose(1, 2).flatten(0, 1)
        parts = [self.spatial_vae.encode(part, generator, sample_posterior) for part in self._split_images(images)]
        frames = torch.cat(parts).unflatten(0, (len(x), -1)).transpose(1, 2)
        groups = frames.split(self.config["micro_frame_size"], dim=2)
        latents = [sample_or_mean(self.temporal_vae.encode(group), generator, sample_posterior) for group in groups]
        return (torch.cat(latents, dim=2) - self.shift) / self.scale

    @apply_forward_hook
    def decode(self, z: Tensor, num_frames: int, return_dict: bool = True) -> DecoderOutput | tuple[Tensor]:
        """Video (batch, 3, num_frames, height, width); `num_frames` determines the length of the last group."""
        _check_dtype("z", z, self.dtype)
        self._check_length(z, num_frames)
        groups = (z * self.scale + self.shift).split(self.latents_per_group, dim=2)
        step = self.config["micro_frame_size"]
        lengths = [min(step, num_frames - step * index) for index in range(len(groups))]
        frames = torch.cat(
            [self.temporal_vae.decode(group, length) for group, length in zip(groups, lengths, strict=True)], dim=2
        )
        images = frames.transpose(1, 2).flatten(0, 1)
        video = torch.cat([self.spatial_vae.decode(part) for part in self._split_images(images)])
        video = video.unflatten(0, (len(z), -1)).transpose(1, 2)
        return DecoderOutput(sample=video) if return_dict else (video,)

    def forward(self, x: Tensor) -> Tensor:
        """Encode and decode, with the mean of the posterior."""
        return self.decode(self.encode(x, sample_posterior=False), x.shape[2], return_dict=False)[0]

    @property
    def latents_per_group(self) -> int:
        """Latent frames of a full group of `micro_frame_size` frames."""
        return -(-self.config["micro_frame_size"] // self.temporal_vae.temporal_compression_ratio)

    def enable_tiling(self) -> None:
        """Split images into tiles in the spatial VAE: less memory, with slight differences at the seams."""
        self.spatial_vae.module.enable_tiling()

    def disable_tiling(self) -> None:
        """Process whole images again."""
        self.spatial_vae.module.disable_tiling()

    def enable_slicing(self) -> None:
        """Process one image at a time: the least memory without seams."""
        self.micro_batch_size = 1

    def disable_slicing(self) -> None:
        """Process `micro_batch_size` images at a time again."""
        self.micro_batch_size = self.config["micro_batch_size"]

    def _split_images(self, images: Tensor) -> tuple[Tensor, ...]:
        return images.split(self.micro_batch_size)

    def _check_length(self, z: Tensor, num_frames: int) -> None:
        whole, rest = divmod(num_frames, self.config["micro_frame_size"])
        expected = whole * self.latents_per_group + -(-rest // self.temporal_vae.temporal_compression_ratio)
        if expected != z.shape[2] or num_frames < 1:
            raise ValueError(f"{num_frames} frames have {expected} latent frames, and z has {z.shape[2]}")


def sample_or_mean(posterior: DiagonalGaussianDistribution, generator: torch.Generator | None, sample: bool) -> Tensor:
    """A sample of the posterior, or its mean."""
    return posterior.sample(generator) if sample else posterior.mode()


def expand_channels(values: Sequence[float], channels: int) -> Tensor:
    """One number per channel as a tensor (1, channels, 1, 1, 1)."""
    if len(values) != channels:
        raise ValueError(f"shift and scale need one number for each of {channels} latent channels, got {len(values)}")
    return torch.tensor(values).view(1, -1, 1, 1, 1)


def _check_dtype(name: str, value: Tensor, dtype: torch.dtype) -> None:
    if value.dtype != dtype:
        raise TypeError(f"{name} is {value.dtype} and the VAE {dtype}: pass {name}.to(vae.dtype)")
