"""Stage one: the autoencoder, on random crops first (it is convolutional), on whole videos at the end."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from diffusers import AutoencoderKLWan

from navicache_pocket.train import configs, muon
from navicache_pocket.train.clips import Cuts, clips
from navicache_pocket.train.quick import quick
from navicache_pocket.train.replay import Figures, Replay
from navicache_pocket.train.session import Session, set_rate

WHOLE_FROM = 0.75  # share of the time after which whole videos are seen


@dataclass(frozen=True)
class Settings(Cuts):
    """How the autoencoder is trained; the defaults fit one large GPU."""

    rate: float = 1e-3
    warm_up: int = 100
    divergence: float = 1e-4  # weight of the posterior's divergence from a unit normal, mean over its elements


def opened(folder: Path, device: str) -> AutoencoderKLWan:
    """The autoencoder of a checkpoint, in float32, to be trained further or to be used."""
    model: Any = AutoencoderKLWan.from_pretrained(folder, subfolder="vae", torch_dtype=torch.float32)
    return quick(model.to(device))


def train(session: Session, device: str, settings: Settings, start: Path | None = None) -> AutoencoderKLWan:
    """Train until the session's time is up, from fresh weights or those of a checkpoint."""
    torch.manual_seed(0)
    model: Any = opened(start, device) if start else quick(AutoencoderKLWan(**configs.AUTOENCODER))
    model.to(device).train()
    optimizers = muon.optimizers(model, _kernels(model), settings.rate, settings.rate, beta=0.95, decay=0.0)
    saved = session.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        for name, optimizer in optimizers.items():
            optimizer.load_state_dict(saved[name])
    if session.share == 1:
        return model.eval()
    learners = {whole: Replay(partial(_learn, model, optimizers, settings), model) for whole in (False, True)}
    batches = clips(session.step, device, settings)

    def parts() -> dict[str, Any]:
        return {"model": model.state_dict(), **{name: each.state_dict() for name, each in optimizers.items()}}

    for _ in session.steps(parts):
        for optimizer in optimizers.values():
            set_rate(optimizer, session, settings.rate, settings.warm_up)
        whole = session.share >= WHOLE_FROM
        session.note(50, learners[whole](batches(whole)))
    return model.eval()


def _kernels(model: Any) -> list[torch.Tensor]:
    """Of the convolutions within the encoder and the decoder, but for the first and the last of each."""
    inner = ("down_blocks", "mid_block", "up_blocks")
    named = [(name, weight) for name, weight in model.named_parameters() if any(part in name for part in inner)]
    return [weight for name, weight in named if weight.ndim > 3 and name.endswith("weight")]


def _learn(
    model: Any, optimizers: dict[str, torch.optim.Optimizer], settings: Settings, video: torch.Tensor
) -> Figures:
    with torch.autocast(video.device.type, dtype=torch.bfloat16, enabled=video.device.type == "cuda"):
        posterior = model.encode(video).latent_dist
        restored = model.decode(posterior.sample()).sample
    error = restored.float() - video.float()
    divergence = posterior.kl().mean() / posterior.mean[0].numel()
    square = error.square().mean()
    loss = error.abs().mean() + 2 * square + settings.divergence * divergence
    model.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers.values():
        optimizer.step()
    return {"loss": loss.detach(), "psnr": 10 * torch.log10(4 / square.detach()), "divergence": divergence.detach()}


@torch.no_grad()
def measure(model: Any, video: torch.Tensor, objects: torch.Tensor) -> torch.Tensor:
    """PSNR of each video after a round trip through the model, in decibels: of all its pixels, and of its objects'."""
    restored = model.decode(model.encode(video).latent_dist.mode()).sample
    error = (restored - video).float().square().mean(1)
    every = torch.ones_like(error)
    squares = [(error * part).sum((1, 2, 3)) / part.sum((1, 2, 3)) for part in (every, objects.float())]
    return 10 * torch.log10(4 / torch.stack(squares))
