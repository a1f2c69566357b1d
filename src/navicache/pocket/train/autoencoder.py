"""Stage one: the autoencoder, on random crops first (it is convolutional), on whole videos at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from diffusers import AutoencoderKLWan

from navicache.pocket.train import configs
from navicache.pocket.train.replay import Figures, Replay
from navicache.pocket.train.session import Session, set_rate
from navicache.pocket.world import draw, render

WHOLE_FROM = 0.75  # share of the time after which whole videos are seen


@dataclass(frozen=True)
class Settings:
    """How the autoencoder is trained; the defaults fit one large GPU."""

    videos: int = 12288
    batch: int = 48
    whole_batch: int = 8
    crop: int = 64
    crop_frames: int = 9
    size: int = 128
    frames: int = 17
    rate: float = 1e-3
    warm_up: int = 100
    divergence: float = 1e-4  # weight of the posterior's divergence from a unit normal, mean over its elements


def train(session: Session, device: str, settings: Settings) -> AutoencoderKLWan:
    """Train until the session's time is up; goes on where an earlier try stopped."""
    torch.manual_seed(0)
    model: Any = channels_last(AutoencoderKLWan(**configs.AUTOENCODER))
    model.to(device).train()
    rate = torch.tensor(settings.rate, device=device)
    graph = {"fused": True, "capturable": True} if device == "cuda" else {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.0, **graph)
    saved = session.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    learners = {whole: Replay(partial(_learn, model, optimizer, settings), optimizer) for whole in (False, True)}
    batches = clips(session, device, settings)
    for _ in session.steps(lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()}):
        set_rate(optimizer, session, settings.rate, settings.warm_up)
        whole = session.share >= WHOLE_FROM
        session.note(50, learners[whole](batches(whole)))
    return model.eval()


def _learn(model: Any, optimizer: Any, settings: Settings, video: torch.Tensor) -> Figures:
    with torch.autocast(video.device.type, dtype=torch.bfloat16, enabled=video.device.type == "cuda"):
        posterior = model.encode(video).latent_dist
        restored = model.decode(posterior.sample()).sample
    error = restored.float() - video.float()
    divergence = posterior.kl().mean() / posterior.mean[0].numel()
    square = error.square().mean()
    loss = error.abs().mean() + 2 * square + settings.divergence * divergence
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return {"loss": loss.detach(), "psnr": 10 * torch.log10(4 / square.detach()), "divergence": divergence.detach()}


def clips(session: Session, device: str, settings: Settings) -> Callable[[bool], torch.Tensor]:
    """Batches of crops or of whole videos, cut from a pool that is drawn once."""
    pool = videos(settings.videos, session.step, device, settings)
    generator = torch.Generator().manual_seed(session.step)

    def pick(top: int, count: int = 1) -> list[int]:
        return torch.randint(0, top, (count,), generator=generator).tolist()

    def cut(whole: bool) -> torch.Tensor:
        size, frames, batch = (
            (settings.size, settings.frames, settings.whole_batch)
            if whole
            else (min(settings.crop, settings.size), min(settings.crop_frames, settings.frames), settings.batch)
        )
        (top,), (left,), (first,) = (
            pick(room + 1) for room in (settings.size - size,) * 2 + (settings.frames - frames,)
        )
        rows = torch.tensor(pick(len(pool), batch), device=pool.device)
        clip = pool[:, :, first : first + frames, top : top + size, left : left + size][rows]
        return to_float(clip).contiguous(memory_format=torch.channels_last_3d)

    return cut


def videos(count: int, seed: int, device: str, settings: Settings, paint: Callable[..., Any] = render) -> torch.Tensor:
    """So many rendered videos as bytes."""
    scenes = draw(count, seed)
    parts = (scenes[start : start + 64].to(device) for start in range(0, count, 64))
    return torch.cat([to_bytes(paint(part, settings.frames, settings.size)) for part in parts])


def to_bytes(video: torch.Tensor) -> torch.Tensor:
    """From [-1, 1] to bytes."""
    return ((video + 1) * 127.5).round().to(torch.uint8)


def to_float(video: torch.Tensor) -> torch.Tensor:
    """From bytes to [-1, 1]."""
    return video.float() / 127.5 - 1


def channels_last(model: AutoencoderKLWan) -> AutoencoderKLWan:
    """The same weights in the memory order that tensor cores like: several times faster."""
    for module in model.modules():
        if isinstance(module, torch.nn.Conv3d):
            module.weight.data = module.weight.data.contiguous(memory_format=torch.channels_last_3d)
        elif isinstance(module, torch.nn.Conv2d):
            module.weight.data = module.weight.data.contiguous(memory_format=torch.channels_last)
    return model


@torch.no_grad()
def measure(model: Any, video: torch.Tensor) -> torch.Tensor:
    """PSNR of each video after a round trip through the model, in decibels."""
    restored = model.decode(model.encode(video).latent_dist.mode()).sample
    return 10 * torch.log10(4 / (restored - video).float().square().mean((1, 2, 3, 4)))
