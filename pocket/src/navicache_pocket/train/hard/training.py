"""A hard member's denoiser, by flow matching on the pool's latents, from random weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.family.autoencoding import autocast_on_gpu
from navicache_pocket.train.family.noise import FlowNoise
from navicache_pocket.train.family.recipe import list_muon_weights
from navicache_pocket.train.hard.recipe import HardRecipe
from navicache_pocket.train.hard.smooth_time import ignore_fast_waves
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.world.wild import list_wild_captions

# cuDNN's attention, the usual choice on an H200, can give gradients that are NaN (pytorch/pytorch#196678)
ATTENTION = (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH)


@dataclass(frozen=True)
class CaptionedLatents:
    """Packed latents, and the place of each one's caption in `list_wild_captions`."""

    values: torch.Tensor  # (rows, tokens, channels), bfloat16
    captions: torch.Tensor  # (rows,)


@dataclass(frozen=True)
class HardTraining:
    """How the denoiser is trained; the defaults fit half of one large GPU."""

    batch: int = 256
    seed: int = 0  # of the random weights
    caption_dropout: float = 0.1
    noise: FlowNoise = FlowNoise(shift=3.0, logit_std=1.2)
    loop: LoopSettings = field(default_factory=lambda: LoopSettings(warm_up_steps=200, ema_decay=0.999))


def train_denoiser(stage: TimedStage, recipe: HardRecipe, pool: CaptionedLatents, settings: HardTraining) -> Any:
    """Train until the stage's time is up; returns averaged weights."""
    torch.manual_seed(settings.seed)
    model = recipe.make_denoiser().to(pool.values.device).train()
    ignore_fast_waves(recipe.get_time_embedder(model))
    if pool.values.device.type == "cuda":
        model.transformer.compile_repeated_blocks()

    def compute_loss() -> StepFigures:
        return {"loss": measure_velocity_error(model, pool, settings)}

    with sdpa_kernel([*ATTENTION]):
        run_training_loop(stage, model, list_turned_weights(model.transformer), compute_loss, settings.loop)
    return model.eval()


def list_turned_weights(transformer: nn.Module) -> Sequence[torch.Tensor]:
    """The matrices for Muon: those of the blocks without the modulations, which AdamW moves, as LTX's tables."""
    modulations = {id(weight) for name, weight in transformer.named_parameters() if ".norm" in name}
    return [weight for weight in list_muon_weights(transformer) if id(weight) not in modulations]


def measure_velocity_error(model: Any, pool: CaptionedLatents, settings: HardTraining) -> torch.Tensor:
    """Squared error of the velocity of a random batch, some of it without captions."""
    device = pool.values.device
    rows = torch.randint(0, len(pool.values), (settings.batch,), device=device)
    is_dropped = torch.rand(settings.batch, device=device) < settings.caption_dropout
    captions = torch.where(is_dropped, len(list_wild_captions()), pool.captions[rows])
    noisy = settings.noise(pool.values[rows].float())
    with autocast_on_gpu(noisy.latents):
        velocity = model(noisy.latents, noisy.timestep, captions)
    return (velocity.float() - noisy.target).square().mean()
