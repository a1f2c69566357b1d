"""The later stages of a member: its denoiser on the latents, then guidance distillation if guidance is embedded."""

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
CAPTION_DROPOUT = 0.1  # share of captions
GUIDANCE_RANGE = (1.0, 9.0)  # guidance scales that a distilled model is trained with


@torch.no_grad()
def encode_member_latents(recipe: MemberRecipe, vae: Any, scenes: Scenes, device: str) -> LatentDataset:
    """Latents of these scenes, scaled to unit deviation, and the token ids of their captions."""
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
    """A function that computes the denoising loss of a random batch, at guidance 1."""

    def compute_loss() -> StepFigures:
        noisy, ids, dropped = _sample_noisy_batch(recipe, latents, batch)
        with autocast_on_gpu(noisy.latents):
            found = model(noisy.latents, noisy.timestep, ids, dropped, torch.ones(batch, device=ids.device))
        return {"loss": (found.float() - noisy.target).square().mean()}

    return compute_loss


def make_distillation_loss(
    recipe: MemberRecipe, model: Any, latents: LatentDataset, batch: int
) -> Callable[[], StepFigures]:
    """A function that computes the distillation loss; the target is the frozen model, guided by a random scale."""
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
    """Classifier-free guidance of the teacher, both branches in one call."""
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
