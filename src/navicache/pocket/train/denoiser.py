"""Stage two: the transformer and its text encoder, by flow matching on the latents."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from diffusers import WanTransformer3DModel
from torch import nn
from torch.nn import functional
from transformers import UMT5Config, UMT5EncoderModel

from navicache.pocket.train import configs, muon
from navicache.pocket.train.latents import Latents
from navicache.pocket.train.session import Session, set_rate
from navicache.pocket.world import vocabulary

# WanPipeline pads text with zeros to whatever length it is told (512 by default) and masks nothing, so the model must
# see all of them; long ones cost as much as the video itself, so they are rarer.
TEXT_LENGTHS = {32: 0.50, 64: 0.20, 128: 0.10, 226: 0.08, 512: 0.12}


@dataclass(frozen=True)
class Settings:
    """How the transformer is trained; the defaults fit one large GPU."""

    videos: int = 81920
    seed: int = 2  # of the scenes; benchmarks leave their captions out
    batch: int = 512
    rate: float = 8e-4
    matrix_rate: float = 1.5e-3  # of the blocks' matrices, which Muon turns
    warm_up: int = 400
    # Noise levels: a sampler with shift 3 spends a quarter of its steps below 0.5, where outlines become crisp; drawn
    # with its own shift and spread 1, only 14 % of the training would be there. These give 28 %.
    shift: float = 2.0
    spread: float = 1.2
    drop_captions: float = 0.1
    average: float = 0.9995


class Denoiser(nn.Module):
    """The two networks that are trained together."""

    def __init__(self) -> None:
        """With fresh weights."""
        super().__init__()
        self.text_encoder = UMT5EncoderModel(UMT5Config(vocab_size=3 + len(vocabulary()), **configs.TEXT_ENCODER))
        self.transformer = WanTransformer3DModel(**configs.TRANSFORMER)

    @classmethod
    def from_checkpoint(cls, folder: Path) -> Self:
        """With the weights of a packed checkpoint, in float32."""
        model = cls()
        model.text_encoder = UMT5EncoderModel.from_pretrained(folder / "text_encoder").float()
        model.transformer = WanTransformer3DModel.from_pretrained(
            folder, subfolder="transformer", torch_dtype=torch.float32
        )
        return model

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


def no_words(ids: torch.Tensor) -> torch.Tensor:
    """The end-of-sentence token alone, as the tokenizer writes an empty prompt, in the shape of `ids`."""
    empty = torch.zeros_like(ids)
    empty[:, 0] = 1
    return empty


def train(session: Session, latents: Latents, device: str, settings: Settings, start: Path | None = None) -> Denoiser:
    """Train until the session's time is up, from fresh weights or those of a checkpoint; returns averaged networks."""
    torch.manual_seed(session.step)
    model = (Denoiser() if start is None else Denoiser.from_checkpoint(start)).to(device).train()
    average = Average(model, settings.average)
    matrices = [weight for weight in model.transformer.blocks.parameters() if weight.ndim == 2]
    optimizers = muon.optimizers(model, matrices, settings.rate, settings.matrix_rate, beta=0.98, decay=0.01)
    saved = session.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        for name, optimizer in optimizers.items():
            optimizer.load_state_dict(saved[name])
        average.weights = saved["average"]

    def parts() -> dict[str, Any]:
        states = {name: optimizer.state_dict() for name, optimizer in optimizers.items()}
        return {"model": model.state_dict(), "average": average.weights, **states}

    if device == "cuda":
        model.transformer.compile_repeated_blocks()
    lengths, shares = torch.tensor([*TEXT_LENGTHS]), torch.tensor([*TEXT_LENGTHS.values()])
    for step in session.steps(parts):
        set_rate(optimizers["adam"], session, settings.rate, settings.warm_up)
        set_rate(optimizers["muon"], session, settings.matrix_rate, settings.warm_up)
        length = int(lengths[torch.multinomial(shares, 1)])
        loss = _loss(model, latents, length, settings)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers.values():
            optimizer.step()
        average.update(step)
        session.note(100, {"loss": loss.detach()})
    average.install()
    return model.eval()


def _loss(model: Denoiser, latents: Latents, length: int, settings: Settings) -> torch.Tensor:
    """Squared error of the velocity, at noise levels drawn around the sampler's."""
    device = latents.values.device
    rows = torch.randint(0, len(latents.values), (settings.batch,), device=device)
    clean, ids = latents.values[rows].float(), latents.ids[rows]
    dropped = torch.rand(settings.batch, 1, device=device) < settings.drop_captions
    even = (settings.spread * torch.randn(settings.batch, device=device)).sigmoid()
    sigma = settings.shift * even / (1 + (settings.shift - 1) * even)
    noise = torch.randn_like(clean)
    noisy = torch.lerp(clean, noise, sigma.view(-1, 1, 1, 1, 1))
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        velocity = model(noisy, sigma, torch.where(dropped, no_words(ids), ids), length)
    return (velocity.float() - (noise - clean)).square().mean()
