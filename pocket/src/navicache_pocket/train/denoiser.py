"""Stage two: the transformer and its text encoder, by flow matching on the latents."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from diffusers import WanTransformer3DModel
from torch import nn
from torch.nn import functional
from transformers import UMT5Config, UMT5EncoderModel

from navicache_pocket.train import configs
from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.latents import LatentDataset
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.world import list_vocabulary

# WanPipeline pads text with zeros to `max_sequence_length` (512 by default) and masks nothing, so the model must
# see all of them; long ones cost as much as the video itself, so they are rarer.
TEXT_LENGTHS = {32: 0.50, 64: 0.20, 128: 0.10, 226: 0.08, 512: 0.12}


@dataclass(frozen=True)
class DenoiserSettings:
    """How the transformer is trained; the defaults fit one large GPU."""

    videos: int = 81920
    seed: int = 2  # of the scenes; benchmarks leave their captions out
    batch: int = 512
    learning_rate: float = 8e-4
    muon_learning_rate: float = 1.5e-3  # of the blocks' matrices, which Muon updates
    warm_up_steps: int = 400
    # Noise levels: a sampler with shift 3 spends a quarter of its steps below 0.5, where outlines become crisp; drawn
    # with its own shift and spread 1, only 14 % of the training would be there. These give 28 %.
    shift: float = 2.0
    logit_std: float = 1.2
    caption_dropout: float = 0.1
    ema_decay: float = 0.9995

    @property
    def loop_settings(self) -> LoopSettings:
        """The part that the training loop needs."""
        return LoopSettings(self.learning_rate, self.muon_learning_rate, self.warm_up_steps, self.ema_decay)


class WanDenoiser(nn.Module):
    """Wan's text encoder and transformer, which are trained together."""

    def __init__(self) -> None:
        """With random weights."""
        super().__init__()
        self.text_encoder = UMT5EncoderModel(UMT5Config(vocab_size=3 + len(list_vocabulary()), **configs.TEXT_ENCODER))
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

    def forward(self, noisy: torch.Tensor, sigma: torch.Tensor, ids: torch.Tensor, length: int) -> torch.Tensor:
        """The velocity, with text padded to `length` rows as WanPipeline pads it."""
        is_token = ids != 0
        text = self.text_encoder(input_ids=ids, attention_mask=is_token.long()).last_hidden_state * is_token.unsqueeze(
            -1
        )
        text = functional.pad(text, (0, 0, 0, length - ids.shape[1]))
        return self.transformer(noisy, sigma * 1000, text, return_dict=False)[0]


def make_empty_prompts(ids: torch.Tensor) -> torch.Tensor:
    """The end-of-sentence token alone, as the tokenizer writes an empty prompt, in the shape of `ids`."""
    empty = torch.zeros_like(ids)
    empty[:, 0] = 1
    return empty


def train_denoiser(
    stage: TimedStage, latents: LatentDataset, device: str, settings: DenoiserSettings, start: Path | None = None
) -> WanDenoiser:
    """Train until the stage's time is up, from random weights or a checkpoint; returns averaged weights."""
    torch.manual_seed(0)
    model = (WanDenoiser() if start is None else WanDenoiser.from_checkpoint(start)).to(device).train()
    matrices = [weight for weight in model.transformer.blocks.parameters() if weight.ndim == 2]
    lengths, shares = torch.tensor([*TEXT_LENGTHS]), torch.tensor([*TEXT_LENGTHS.values()])
    if device == "cuda":
        model.transformer.compile_repeated_blocks()

    def compute_loss() -> StepFigures:
        return {"loss": _measure_velocity_error(model, latents, int(lengths[torch.multinomial(shares, 1)]), settings)}

    run_training_loop(stage, model, matrices, compute_loss, settings.loop_settings)
    return model.eval()


def _measure_velocity_error(
    model: WanDenoiser, latents: LatentDataset, length: int, settings: DenoiserSettings
) -> torch.Tensor:
    """Squared error of the velocity, at noise levels drawn around the sampler's."""
    device = latents.values.device
    rows = torch.randint(0, len(latents.values), (settings.batch,), device=device)
    clean, ids = latents.values[rows].float(), latents.ids[rows]
    dropped = torch.rand(settings.batch, 1, device=device) < settings.caption_dropout
    even = (settings.logit_std * torch.randn(settings.batch, device=device)).sigmoid()
    sigma = settings.shift * even / (1 + (settings.shift - 1) * even)
    noise = torch.randn_like(clean)
    noisy = torch.lerp(clean, noise, sigma.view(-1, 1, 1, 1, 1))
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        velocity = model(noisy, sigma, torch.where(dropped, make_empty_prompts(ids), ids), length)
    return (velocity.float() - (noise - clean)).square().mean()
