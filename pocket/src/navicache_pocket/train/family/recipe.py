"""What a member brings to its training; everything else is shared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import nn

from navicache_pocket.train.family.noise import NoiseProcess
from navicache_pocket.world import Scenes, mask_objects, render_videos

ModelConfig = Mapping[str, Any]


class EncodedVideos(NamedTuple):
    """Latents drawn from an autoencoder's posterior, and its divergence from a unit normal, mean over elements."""

    latents: torch.Tensor
    divergence: torch.Tensor


@dataclass(frozen=True)
class VideoFormat:
    """How scenes are rendered for a member: number of frames and size; one frame is the middle one of three."""

    frames: int
    size: int

    @property
    def _frames_to_render(self) -> tuple[int, int, slice]:
        # at a video's first frame what moves is at the edge; in its middle everything is well in the picture
        return (3, self.size, slice(1, 2)) if self.frames == 1 else (self.frames, self.size, slice(None))

    def render_scenes(self, scenes: Scenes) -> torch.Tensor:
        """Videos (scenes, 3, frames, size, size) in [-1, 1].

        Example:
            >>> from navicache_pocket.world import draw_scenes
            >>> tuple(VideoFormat(1, 16).render_scenes(draw_scenes(2, seed=0)).shape)
            (2, 3, 1, 16, 16)
        """
        frames, size, shown = self._frames_to_render
        return render_videos(scenes, frames, size)[:, :, shown]

    def mask_scene_objects(self, scenes: Scenes) -> torch.Tensor:
        """Which pixels show an object: (scenes, frames, size, size)."""
        frames, size, shown = self._frames_to_render
        return mask_objects(scenes, frames, size)[:, shown]


class MemberDenoiser(Protocol):
    """Text encoders and denoiser as one module, called as the member's pipeline calls them."""

    def __call__(
        self,
        noisy: torch.Tensor,
        timestep: torch.Tensor,
        token_ids: torch.Tensor,
        is_dropped: torch.Tensor,
        guidance: torch.Tensor,
    ) -> torch.Tensor:
        """Predict from latents (batch, channels, frames, rows, columns), or without frames.

        Args:
            noisy: noisy latents, as the sampler has them.
            timestep: as the sampler gives it.
            token_ids: rows of the recipe's `tokenize`.
            is_dropped: rows that are denoised without their caption, as the pipeline does for guidance.
            guidance: the scale per row, for models with embedded guidance.
        """
        ...


class MemberRecipe(Protocol):
    """What a member needs to be trained from random weights."""

    @property
    def name(self) -> str:
        """As in `navicache.pocket.MEMBERS`."""
        ...

    @property
    def video_format(self) -> VideoFormat:
        """Frames and size of what it generates."""
        ...

    @property
    def is_distilled(self) -> bool:
        """Whether a guided teacher is distilled into it."""
        ...

    @property
    def noise_process(self) -> NoiseProcess:
        """How latents are made noisy for its sampler."""
        ...

    def make_autoencoder(self) -> nn.Module:
        """With random weights."""
        ...

    def encode(self, vae: Any, video: torch.Tensor) -> EncodedVideos:
        """Encode videos to latents before they are scaled."""
        ...

    def decode(self, vae: Any, latents: torch.Tensor) -> torch.Tensor:
        """Decode latents to videos."""
        ...

    def set_latent_deviation(self, vae: Any, deviation: float) -> None:
        """Store the standard deviation of the latents in the autoencoder, which divides by it from then on."""
        ...

    def make_denoiser(self) -> Any:
        """A `MemberDenoiser` module with random weights."""
        ...

    def tokenize(self, captions: Sequence[str]) -> torch.Tensor:
        """Token ids of captions, as the pipeline's tokenizers give them."""
        ...

    def save_pipeline(self, vae: Any, denoiser: Any, folder: Path) -> None:
        """Write the folder that the pipeline class opens."""
        ...


def enable_gradients(module: Any) -> Any:
    """Let all weights of the module require a gradient; returns the module."""
    return module.requires_grad_(True)


def list_muon_weights(model: nn.Module) -> list[torch.Tensor]:
    """Matrices and kernels of the blocks, for Muon; first and last layers, norms and embeddings are left to AdamW."""
    named = [(name, weight) for name, weight in model.named_parameters() if "blocks" in name or "mid_block" in name]
    return [weight for name, weight in named if weight.ndim > 1 and min(weight.shape[:2]) >= 8]
