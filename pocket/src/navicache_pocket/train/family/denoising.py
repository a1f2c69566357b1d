"""The later stages of a member: its denoiser on the latents, and where guidance is embedded, a teacher's distilled."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from tqdm import trange

from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.family.autoencoding import autocast_on_gpu
from navicache_pocket.train.family.noise import NoisyBatch, broadcast_rows
from navicache_pocket.train.family.recipe import MemberRecipe
from navicache_pocket.train.latents import LatentDataset
from navicache_pocket.world import Scenes, write_captions

BATCH_SIZE = 128
CAPTION_DROPOUT = 0.1  # captions
GUIDANCE_RANGE = (1.0, 9.0)  # of guidance, that a distilled model is told


@torch.no_grad()
def encode_member_latents(recipe: MemberRecipe, vae: Any, scenes: Scenes, device: str) -> LatentDataset:
    """Pictures of these scenes as latents of unit deviation, and their captions' tokens."""
    parts: list[torch.Tensor] = []
    for start in trange(0, len(scenes), BATCH_SIZE, desc="encoding", unit="batch", mininterval=10):
        video = recipe.video_format.render_scenes(scenes[start : start + BATCH_SIZE].to(device))
        with autocast_on_gpu(video):
            parts.append(recipe.encode(vae, video).latents.to(torch.bfloat16))
    values = torch.cat(parts)
    deviation = values.float().std()
    ids = recipe.tokenize(write_captions(scenes)).to(device)
    return LatentDataset((values / deviation).to(torch.bfloat16), ids, values.float().mean(), deviation)


def make_denoising_loss(
    recipe: MemberRecipe, model: Any, latents: LatentDataset, batch: int
) -> Callable[[], StepFigures]:
    """One look: what the model predicts of noisy latents, against what is so; it is told a guidance of 1."""

    def compute_loss() -> StepFigures:
        noisy, ids, dropped = _sample_noisy_batch(recipe, latents, batch)
        with autocast_on_gpu(noisy.latents):
            found = model(noisy.latents, noisy.timestep, ids, dropped, torch.ones(batch, device=ids.device))
        return {"loss": (found.float() - noisy.target).square().mean()}

    return compute_loss


def make_distillation_loss(
    recipe: MemberRecipe, model: Any, latents: LatentDataset, batch: int
) -> Callable[[], StepFigures]:
    """One look: what the model predicts when told a scale, against what it predicted before, guided by that scale."""
    teacher = deepcopy(model).eval().requires_grad_(False)

    def compute_loss() -> StepFigures:
        noisy, ids, dropped = _sample_noisy_batch(recipe, latents, batch)
        low, high = GUIDANCE_RANGE
        scale = low + (high - low) * torch.rand(batch, device=ids.device)
        with autocast_on_gpu(noisy.latents):
            wanted = predict_with_guidance(teacher, noisy, ids, dropped, scale)
            found = model(noisy.latents, noisy.timestep, ids, dropped, scale)
        return {"loss": (found.float() - wanted).square().mean()}

    return compute_loss


@torch.no_grad()
def predict_with_guidance(
    teacher: Any, noisy: NoisyBatch, ids: torch.Tensor, is_dropped: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """Both branches in one call, and the second taken further from the first."""
    all_dropped = torch.ones_like(is_dropped)
    both = (noisy.latents.repeat(2, *[1] * (noisy.latents.ndim - 1)), noisy.timestep.repeat(2), ids.repeat(2, 1))
    unconditional, conditional = (
        teacher(*both, torch.cat([all_dropped, is_dropped]), torch.ones_like(scale).repeat(2)).float().chunk(2)
    )
    return unconditional + broadcast_rows(scale, conditional) * (conditional - unconditional)


def _sample_noisy_batch(
    recipe: MemberRecipe, latents: LatentDataset, count: int
) -> tuple[NoisyBatch, torch.Tensor, torch.Tensor]:
    device = latents.values.device
    rows = torch.randint(0, len(latents.values), (count,), device=device)
    dropped = torch.rand(count, device=device) < CAPTION_DROPOUT
    return recipe.noise_process(latents.values[rows].float()), latents.ids[rows], dropped
