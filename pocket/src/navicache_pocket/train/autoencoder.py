"""Stage one: the autoencoder, on random crops first (it is convolutional), on whole videos at the end."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from diffusers import AutoencoderKLWan

from navicache_pocket.train import configs, muon
from navicache_pocket.train.clips import ClipSettings, make_clip_sampler
from navicache_pocket.train.cuda_graph import GraphedStep, StepFigures
from navicache_pocket.train.fast_autoencoder import replace_norms
from navicache_pocket.train.timed_stage import TimedStage, set_learning_rate

WHOLE_VIDEOS_FROM = 0.75  # share of the time after which whole videos are seen


@dataclass(frozen=True)
class AutoencoderSettings(ClipSettings):
    """How the autoencoder is trained; the defaults fit one large GPU."""

    learning_rate: float = 1e-3
    warm_up_steps: int = 100
    divergence_weight: float = 1e-4  # weight of the posterior's divergence from a unit normal, mean over its elements


def open_autoencoder(folder: Path, device: str) -> AutoencoderKLWan:
    """The autoencoder of a checkpoint, in float32."""
    model: Any = AutoencoderKLWan.from_pretrained(folder, subfolder="vae", torch_dtype=torch.float32)
    return replace_norms(model.to(device))


def train_autoencoder(
    stage: TimedStage, device: str, settings: AutoencoderSettings, start: Path | None = None
) -> AutoencoderKLWan:
    """Train until the stage's time is up, from random weights or a checkpoint."""
    torch.manual_seed(0)
    model: Any = open_autoencoder(start, device) if start else replace_norms(AutoencoderKLWan(**configs.AUTOENCODER))
    model.to(device).train()
    optimizers = muon.make_optimizers(
        model,
        _list_inner_kernels(model),
        settings.learning_rate,
        settings.learning_rate,
        adam_beta2=0.95,
        weight_decay=0.0,
    )
    saved = stage.resume(device)
    if saved:
        model.load_state_dict(saved["model"])
        for name, optimizer in optimizers.items():
            optimizer.load_state_dict(saved[name])
    if stage.progress == 1:
        return model.eval()
    training_steps = {
        whole: GraphedStep(partial(_take_training_step, model, optimizers, settings), model) for whole in (False, True)
    }
    sample_clips = make_clip_sampler(stage.step, device, settings)

    def collect_state() -> dict[str, Any]:
        return {"model": model.state_dict(), **{name: each.state_dict() for name, each in optimizers.items()}}

    for _ in stage.run_steps(collect_state):
        for optimizer in optimizers.values():
            set_learning_rate(optimizer, stage, settings.learning_rate, settings.warm_up_steps)
        whole = stage.progress >= WHOLE_VIDEOS_FROM
        stage.log_figures(50, training_steps[whole](sample_clips(whole)))
    return model.eval()


def _list_inner_kernels(model: Any) -> list[torch.Tensor]:
    """Kernels of all convolutions but the first and the last of the encoder and the decoder."""
    inner = ("down_blocks", "mid_block", "up_blocks")
    named = [(name, weight) for name, weight in model.named_parameters() if any(part in name for part in inner)]
    return [weight for name, weight in named if weight.ndim > 3 and name.endswith("weight")]


def _take_training_step(
    model: Any, optimizers: dict[str, torch.optim.Optimizer], settings: AutoencoderSettings, video: torch.Tensor
) -> StepFigures:
    with torch.autocast(video.device.type, dtype=torch.bfloat16, enabled=video.device.type == "cuda"):
        posterior = model.encode(video).latent_dist
        restored = model.decode(posterior.sample()).sample
    error = restored.float() - video.float()
    divergence = posterior.kl().mean() / posterior.mean[0].numel()
    square = error.square().mean()
    loss = error.abs().mean() + 2 * square + settings.divergence_weight * divergence
    model.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers.values():
        optimizer.step()
    return {"loss": loss.detach(), "psnr": 10 * torch.log10(4 / square.detach()), "divergence": divergence.detach()}


@torch.no_grad()
def measure_reconstruction(model: Any, video: torch.Tensor, objects: torch.Tensor) -> torch.Tensor:
    """PSNR in decibels of each video after encoding and decoding: of all pixels, and of the objects' pixels."""
    restored = model.decode(model.encode(video).latent_dist.mode()).sample
    error = (restored - video).float().square().mean(1)
    every = torch.ones_like(error)
    squares = [(error * part).sum((1, 2, 3)) / part.sum((1, 2, 3)) for part in (every, objects.float())]
    return 10 * torch.log10(4 / torch.stack(squares))
