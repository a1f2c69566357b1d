"""The transformer of `wild`, by flow matching on the pool's latents, from the weights of `wan`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import WanTransformer3DModel
from torch.nn import functional

from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.denoiser import TEXT_LENGTHS
from navicache_pocket.train.family.noise import FlowNoise
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.train.wild.pool import LatentPool


@dataclass(frozen=True)
class WildTraining:
    """How the transformer is trained; the defaults fit one large GPU."""

    batch: int = 256
    caption_dropout: float = 0.12
    noise: FlowNoise = FlowNoise(shift=3.0, logit_std=1.2)
    loop: LoopSettings = field(default_factory=lambda: LoopSettings(ema_decay=0.999))


def train_transformer(stage: TimedStage, pool: LatentPool, base: Path, settings: WildTraining) -> WanTransformer3DModel:
    """Train wan's transformer further until the stage's time is up; returns averaged weights."""
    model: Any = WanTransformer3DModel.from_pretrained(base, subfolder="transformer", torch_dtype=torch.float32)
    model.to(pool.values.device).train()
    matrices = [weight for weight in model.blocks.parameters() if weight.ndim == 2]
    lengths, shares = torch.tensor([*TEXT_LENGTHS]), torch.tensor([*TEXT_LENGTHS.values()])
    if pool.values.device.type == "cuda":
        model.compile_repeated_blocks()

    def compute_loss() -> StepFigures:
        return {"loss": measure_velocity_error(model, pool, int(lengths[torch.multinomial(shares, 1)]), settings)}

    run_training_loop(stage, model, matrices, compute_loss, settings.loop)
    return model.eval()


def measure_velocity_error(model: Any, pool: LatentPool, length: int, settings: WildTraining) -> torch.Tensor:
    """Squared error of the velocity of a random batch, with captions padded to `length` rows."""
    device = pool.values.device
    rows = torch.randint(0, len(pool.values), (settings.batch,), device=device)
    is_dropped = torch.rand(settings.batch, device=device) < settings.caption_dropout
    captions = torch.where(is_dropped, len(pool.text) - 1, pool.captions[rows])
    text = functional.pad(pool.text[captions], (0, 0, 0, length - pool.text.shape[1]))
    noisy = settings.noise(pool.values[rows].float())
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        velocity = model(noisy.latents, noisy.timestep, text, return_dict=False)[0]
    return (velocity.float() - noisy.target).square().mean()
