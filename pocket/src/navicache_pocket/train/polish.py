"""Stage three: the decoder learns to forgive the errors that this transformer leaves in its latents.

The encoder stays as it is, so the transformer's latent space does too. A decoder that has only ever seen exact latents
paints every error as a ragged edge. So it is shown latents that the transformer has half forgotten and sampled again,
with guidance, as it samples for users; what it must paint from them is the scene they came from.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from tqdm import trange

from navicache_pocket.train import autoencoder, denoiser
from navicache_pocket.train.clips import to_bytes, to_float
from navicache_pocket.train.latents import Latents
from navicache_pocket.train.replay import Figures, Replay
from navicache_pocket.train.session import Session, set_rate
from navicache_pocket.world import Scenes, render

CHUNK = 64


@dataclass(frozen=True)
class Settings:
    """How the decoder is polished."""

    videos: int = 8192
    strongest: float = 0.6  # noise level from which latents are sampled again, at most
    exact: float = 0.25  # share that is left as it was
    guidance: float = 5.0
    steps: int = 10
    rate: float = 3e-4
    warm_up: int = 50


def polish(
    model: Any,
    generator: denoiser.Denoiser,
    latents: Latents,
    scenes: Scenes,
    session: Session,
    device: str,
    base: autoencoder.Settings,
    own: Settings,
) -> None:
    """Train the decoder in place until the session's time is up."""
    torch.manual_seed(0)
    optimizer = _optimizer(model, own.rate, device)
    saved = session.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    if session.share == 1:
        return
    given, wanted = _pairs(generator, latents, scenes.to(device), base, own)
    learn = Replay(partial(_learn, model, optimizer), model)
    for _ in session.steps(lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()}):
        set_rate(optimizer, session, own.rate, own.warm_up)
        rows = torch.randint(0, len(given), (base.whole_batch,), device=device)
        video = to_float(wanted[rows]).contiguous(memory_format=torch.channels_last_3d)
        session.note(50, learn(given[rows].float(), video))


def _optimizer(model: Any, rate: float, device: str) -> torch.optim.Optimizer:
    """Of the decoder alone; its rate is a tensor, so that a replayed graph sees it change."""
    trained = [*model.decoder.parameters(), *model.post_quant_conv.parameters()]
    graph = {"fused": True, "capturable": True} if device == "cuda" else {}
    moving = torch.tensor(rate, device=device)
    return torch.optim.AdamW(trained, lr=moving, betas=(0.9, 0.95), weight_decay=0.0, **graph)


@torch.no_grad()
@torch.compiler.set_stance("force_eager")  # a compiled block would be compiled again for these few batches
def _pairs(
    generator: denoiser.Denoiser, latents: Latents, scenes: Scenes, base: autoencoder.Settings, own: Settings
) -> tuple[torch.Tensor, torch.Tensor]:
    """Latents as the transformer would have left them, and the videos they stand for, as bytes."""
    mean, deviation = (value.view(1, -1, 1, 1, 1) for value in (latents.mean, latents.std))
    given: list[torch.Tensor] = []
    wanted: list[torch.Tensor] = []
    for start in trange(0, min(own.videos, len(latents.values)), CHUNK, desc="sampling", unit="batch", mininterval=10):
        rows = slice(start, start + CHUNK)
        sampled = _sample_again(generator, latents.values[rows].float(), latents.ids[rows], own)
        given.append((sampled * deviation + mean).to(torch.bfloat16))
        wanted.append(to_bytes(render(scenes[rows], base.frames, base.size)))
    return torch.cat(given), torch.cat(wanted)


def _sample_again(generator: denoiser.Denoiser, clean: torch.Tensor, ids: torch.Tensor, own: Settings) -> torch.Tensor:
    """Euler steps from a noise level of each video's own back to none."""
    device = clean.device
    level = own.strongest * torch.rand(len(clean), device=device)
    level = torch.where(torch.rand(len(clean), device=device) < own.exact, 0.0, level)
    values = torch.lerp(clean, torch.randn_like(clean), level.view(-1, 1, 1, 1, 1))
    both = torch.cat([ids, denoiser.no_words(ids)])
    for step in range(own.steps):
        sigma = level * (1 - step / own.steps)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            velocity = generator(values.repeat(2, 1, 1, 1, 1), sigma.repeat(2), both, 32).float()
        told, untold = velocity.chunk(2)
        guided = torch.lerp(untold, told, own.guidance)
        values = values - guided * (level / own.steps).view(-1, 1, 1, 1, 1)
    return values


def _learn(model: Any, optimizer: Any, latents: torch.Tensor, video: torch.Tensor) -> Figures:
    with torch.autocast(video.device.type, dtype=torch.bfloat16, enabled=video.device.type == "cuda"):
        restored = model.decode(latents).sample
    error = restored.float() - video
    square = error.square().mean()
    loss = error.abs().mean() + 2 * square
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([*model.decoder.parameters()], 1.0)
    optimizer.step()
    return {"loss": loss.detach(), "psnr": 10 * torch.log10(4 / square.detach())}
