"""Stage two: the transformer and its text encoder, by flow matching on the latents."""

from dataclasses import dataclass
from typing import Any

import torch
from diffusers import WanTransformer3DModel
from torch import nn
from torch.nn import functional
from transformers import UMT5Config, UMT5EncoderModel

from navicache.pocket.train import configs
from navicache.pocket.train.latents import Latents
from navicache.pocket.train.session import Session, set_rate
from navicache.pocket.world import vocabulary

SHIFT = configs.SCHEDULER["flow_shift"]
# WanPipeline pads text with zeros to whatever length it is told (512 by default) and masks nothing, so the model must
# see all of them; long ones cost as much as the video itself, so they are rarer.
TEXT_LENGTHS = {32: 0.40, 64: 0.20, 128: 0.12, 226: 0.10, 512: 0.18}


@dataclass(frozen=True)
class Settings:
    """How the transformer is trained; the defaults fit one large GPU."""

    videos: int = 81920
    seed: int = 2  # of the scenes; benchmarks leave their captions out
    batch: int = 512
    rate: float = 8e-4
    warm_up: int = 400
    drop_captions: float = 0.1
    average: float = 0.9995


class Denoiser(nn.Module):
    """The two networks that are trained together."""

    def __init__(self) -> None:
        """With fresh weights."""
        super().__init__()
        self.text_encoder = UMT5EncoderModel(UMT5Config(vocab_size=3 + len(vocabulary()), **configs.TEXT_ENCODER))
        self.transformer = WanTransformer3DModel(**configs.TRANSFORMER)

    def forward(self, noisy: torch.Tensor, time: torch.Tensor, ids: torch.Tensor, length: int) -> torch.Tensor:
        """The velocity, with text padded to `length` rows as WanPipeline pads it."""
        there = ids != 0
        text = self.text_encoder(input_ids=ids, attention_mask=there.long()).last_hidden_state * there.unsqueeze(-1)
        text = functional.pad(text, (0, 0, 0, length - ids.shape[1]))
        return self.transformer(noisy, time * 1000, text, return_dict=False)[0]


class Average:
    """A running mean of the weights: what is shipped."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        """Begin at the model's weights."""
        self.decay, self.live = decay, [*model.parameters()]
        self.weights = [parameter.detach().clone() for parameter in self.live]

    def update(self, step: int) -> None:
        """Follow the model, closely at first."""
        keep = min(self.decay, (step + 1) / (step + 10))
        torch._foreach_lerp_(self.weights, [parameter.detach() for parameter in self.live], 1 - keep)

    def install(self) -> None:
        """Put the mean into the model."""
        for parameter, mean in zip(self.live, self.weights, strict=True):
            parameter.data.copy_(mean)


def train(session: Session, latents: Latents, device: str, settings: Settings) -> Denoiser:
    """Train until the session's time is up; returns the averaged networks."""
    torch.manual_seed(session.step)
    model = Denoiser().to(device).train()
    average = Average(model, settings.average)
    rate = torch.tensor(settings.rate, device=device)
    fused = {"fused": True} if device == "cuda" else {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, **fused)
    saved = session.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        average.weights = saved["average"]

    def parts() -> dict[str, Any]:
        return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "average": average.weights}

    if device == "cuda":
        model.transformer.compile_repeated_blocks()
    lengths, shares = torch.tensor([*TEXT_LENGTHS]), torch.tensor([*TEXT_LENGTHS.values()])
    for step in session.steps(parts):
        set_rate(optimizer, session, settings.rate, settings.warm_up)
        length = int(lengths[torch.multinomial(shares, 1)])
        loss = _loss(model, latents, length, settings)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        average.update(step)
        session.note(100, {"loss": loss.detach()})
    average.install()
    return model.eval()


def _loss(model: Denoiser, latents: Latents, length: int, settings: Settings) -> torch.Tensor:
    """Squared error of the velocity, at noise levels drawn where the sampler will be."""
    device = latents.values.device
    rows = torch.randint(0, len(latents.values), (settings.batch,), device=device)
    clean, ids = latents.values[rows].float(), latents.ids[rows]
    empty = torch.zeros_like(ids[:1])
    empty[:, 0] = 1  # the end-of-sentence token alone, as the tokenizer writes an empty prompt
    dropped = torch.rand(settings.batch, 1, device=device) < settings.drop_captions
    even = torch.randn(settings.batch, device=device).sigmoid()
    sigma = SHIFT * even / (1 + (SHIFT - 1) * even)
    noise = torch.randn_like(clean)
    noisy = torch.lerp(clean, noise, sigma.view(-1, 1, 1, 1, 1))
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        velocity = model(noisy, sigma, torch.where(dropped, empty, ids), length)
    return (velocity.float() - (noise - clean)).square().mean()
