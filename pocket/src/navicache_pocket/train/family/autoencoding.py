"""Stage one of a member: its autoencoder, on whole videos, since they are small."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from navicache_pocket.train.clips import to_bytes, to_float
from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.family.recipe import MemberRecipe, VideoFormat
from navicache_pocket.world import Scenes

BATCH_SIZE = 64
OBJECT_WEIGHT = 3.0  # extra weight of pixels that show an object: most pixels are background, which is easy
DIVERGENCE_WEIGHT = 3e-5  # weight of the posterior's divergence from a unit normal
MOMENT_WEIGHT = 1e-2  # weight of the channels' distance from zero mean and unit deviation


@dataclass(frozen=True)
class PicturePool:
    """Videos that are rendered once, at the first batch, and kept on the device as bytes."""

    scenes: Scenes
    video_format: VideoFormat
    device: str

    @cached_property
    def _rendered(self) -> tuple[torch.Tensor, torch.Tensor]:
        parts = [
            self.scenes[start : start + BATCH_SIZE].to(self.device) for start in range(0, len(self.scenes), BATCH_SIZE)
        ]
        videos = torch.cat([to_bytes(self.video_format.render_scenes(part)) for part in parts])
        return videos, torch.cat([self.video_format.mask_scene_objects(part) for part in parts])

    def sample_batch(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Videos (count, 3, frames, size, size) in [-1, 1], and masks of their objects."""
        videos, objects = self._rendered
        rows = torch.randint(0, len(videos), (count,), device=self.device)
        return to_float(videos[rows]).contiguous(memory_format=torch.channels_last_3d), objects[rows]


def compute_autoencoder_loss(recipe: MemberRecipe, vae: Any, video: torch.Tensor, objects: torch.Tensor) -> StepFigures:
    """Reconstruction loss on these videos, and the figures to log."""
    with autocast_on_gpu(video):
        code = recipe.encode(vae, video)
        restored = recipe.decode(vae, code.latents)
    error = restored.float() - video
    square = error.square()
    weight = 1 + OBJECT_WEIGHT * objects.float().unsqueeze(1)
    loss = (weight * (error.abs() + 2 * square)).mean() / weight.mean()
    divergence = code.divergence.float()
    loss = loss + DIVERGENCE_WEIGHT * divergence + MOMENT_WEIGHT * _measure_moment_error(code.latents.float())
    return {"loss": loss, "psnr": 10 * torch.log10(4 / square.mean()), "divergence": divergence}


def _measure_moment_error(latents: torch.Tensor) -> torch.Tensor:
    each = latents.transpose(0, 1).flatten(1)
    return each.mean(1).square().mean() + each.std(1).log().square().mean()


@torch.no_grad()
def measure_autoencoder(recipe: MemberRecipe, vae: Any, scenes: Scenes, device: str) -> dict[str, float]:
    """PSNR in decibels of reconstructed scenes: mean, worst, and of the objects' pixels alone."""
    squares: list[torch.Tensor] = []
    for start in range(0, len(scenes), BATCH_SIZE):
        part = scenes[start : start + BATCH_SIZE].to(device)
        video, objects = recipe.video_format.render_scenes(part), recipe.video_format.mask_scene_objects(part).float()
        error = (recipe.decode(vae, recipe.encode(vae, video).latents).float() - video).square().mean(1)
        where = (torch.ones_like(error), objects)
        squares.append(torch.stack([(error * mask).sum((1, 2, 3)) / mask.sum((1, 2, 3)) for mask in where]))
    whole, objects = 10 * torch.log10(4 / torch.cat(squares, 1))
    return {"psnr": whole.mean().item(), "worst": whole.min().item(), "objects": objects.nanmean().item()}


def autocast_on_gpu(like: torch.Tensor) -> torch.autocast:
    """Autocast to bfloat16 on a GPU, and nothing on a CPU."""
    return torch.autocast(like.device.type, dtype=torch.bfloat16, enabled=like.is_cuda)
