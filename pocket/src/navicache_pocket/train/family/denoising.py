"""The later stages of a member: its denoiser on the latents, and where guidance is embedded, a teacher's distilled."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from tqdm import trange

from navicache_pocket.train.family.autoencoding import half
from navicache_pocket.train.family.noise import Noised, spread
from navicache_pocket.train.family.recipe import Recipe
from navicache_pocket.train.latents import Latents
from navicache_pocket.train.replay import Figures
from navicache_pocket.world import Scenes, captions

CHUNK = 128
DROPPED = 0.1  # captions
SCALES = (1.0, 9.0)  # of guidance, that a distilled model is told


@torch.no_grad()
def encode_scenes(recipe: Recipe, vae: Any, scenes: Scenes, device: str) -> Latents:
    """Pictures of these scenes as latents of unit deviation, and their captions' tokens."""
    parts: list[torch.Tensor] = []
    for start in trange(0, len(scenes), CHUNK, desc="encoding", unit="batch", mininterval=10):
        video = recipe.pictures.of(scenes[start : start + CHUNK].to(device))
        with half(video):
            parts.append(recipe.encode(vae, video).latents.to(torch.bfloat16))
    values = torch.cat(parts)
    deviation = values.float().std()
    ids = recipe.tokens(captions(scenes)).to(device)
    return Latents((values / deviation).to(torch.bfloat16), ids, values.float().mean(), deviation)


def studying(recipe: Recipe, model: Any, latents: Latents, batch: int) -> Callable[[], Figures]:
    """One look: what the model predicts of noisy latents, against what is so; it is told a guidance of 1."""

    def look() -> Figures:
        noised, ids, dropped = _batch(recipe, latents, batch)
        with half(noised.values):
            found = model(noised.values, noised.time, ids, dropped, torch.ones(batch, device=ids.device))
        return {"loss": (found.float() - noised.target).square().mean()}

    return look


def distilling(recipe: Recipe, model: Any, latents: Latents, batch: int) -> Callable[[], Figures]:
    """One look: what the model predicts when told a scale, against what it predicted before, guided by that scale."""
    teacher = deepcopy(model).eval().requires_grad_(False)

    def look() -> Figures:
        noised, ids, dropped = _batch(recipe, latents, batch)
        low, high = SCALES
        scale = low + (high - low) * torch.rand(batch, device=ids.device)
        with half(noised.values):
            wanted = guided(teacher, noised, ids, dropped, scale)
            found = model(noised.values, noised.time, ids, dropped, scale)
        return {"loss": (found.float() - wanted).square().mean()}

    return look


@torch.no_grad()
def guided(teacher: Any, noised: Noised, ids: torch.Tensor, dropped: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Both branches in one call, and the second taken further from the first."""
    untold = torch.ones_like(dropped)
    both = (noised.values.repeat(2, *[1] * (noised.values.ndim - 1)), noised.time.repeat(2), ids.repeat(2, 1))
    without, told = teacher(*both, torch.cat([untold, dropped]), torch.ones_like(scale).repeat(2)).float().chunk(2)
    return without + spread(scale, told) * (told - without)


def _batch(recipe: Recipe, latents: Latents, count: int) -> tuple[Noised, torch.Tensor, torch.Tensor]:
    device = latents.values.device
    rows = torch.randint(0, len(latents.values), (count,), device=device)
    dropped = torch.rand(count, device=device) < DROPPED
    return recipe.noise(latents.values[rows].float()), latents.ids[rows], dropped
