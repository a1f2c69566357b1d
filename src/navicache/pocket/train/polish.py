"""Stage three: the decoder learns to forgive the small errors that a denoiser leaves in its latents.

The encoder stays as it is, so the transformer's latent space does too. A decoder that has only ever seen exact latents
paints every error as a ragged edge; one that has seen disturbed ones restores the outline it stands for.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from navicache.pocket.train import autoencoder
from navicache.pocket.train.replay import Figures, Replay
from navicache.pocket.train.session import Session, set_rate


@dataclass(frozen=True)
class Settings:
    """How the decoder is polished."""

    disturbance: float = 0.4  # largest deviation of the noise, in units of the latents' own
    rate: float = 3e-4
    warm_up: int = 50


def polish(model: Any, session: Session, device: str, base: autoencoder.Settings, own: Settings) -> None:
    """Train the decoder in place until the session's time is up."""
    torch.manual_seed(0)
    trained = [*model.decoder.parameters(), *model.post_quant_conv.parameters()]
    rate = torch.tensor(own.rate, device=device)
    graph = {"fused": True, "capturable": True} if device == "cuda" else {}
    optimizer = torch.optim.AdamW(trained, lr=rate, betas=(0.9, 0.95), weight_decay=0.0, **graph)
    saved = session.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    deviation = torch.tensor(model.config.latents_std, device=device).view(1, -1, 1, 1, 1)
    learn = Replay(partial(_learn, model, optimizer, own.disturbance * deviation), optimizer)
    clips = autoencoder.clips(session, device, replace(base, videos=base.videos // 2))
    for _ in session.steps(lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()}):
        set_rate(optimizer, session, own.rate, own.warm_up)
        session.note(50, learn(clips(True)))


def _learn(model: Any, optimizer: Any, disturbance: torch.Tensor, video: torch.Tensor) -> Figures:
    with torch.autocast(video.device.type, dtype=torch.bfloat16, enabled=video.device.type == "cuda"):
        with torch.no_grad():
            latents = model.encode(video).latent_dist.mode()
        strength = torch.rand(len(latents), 1, 1, 1, 1, device=video.device)
        restored = model.decode(latents + strength * disturbance * torch.randn_like(latents)).sample
    error = restored.float() - video.float()
    square = error.square().mean()
    loss = error.abs().mean() + 2 * square
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([*model.decoder.parameters()], 1.0)
    optimizer.step()
    return {"loss": loss.detach(), "psnr": 10 * torch.log10(4 / square.detach())}
