"""Stage three: the decoder learns to tolerate the errors that this transformer leaves in its latents.

The encoder stays as it is, so the transformer's latent space does too. A decoder that is trained on exact
latents alone shows every error as a ragged edge. So it is trained on latents that were partly noised and denoised again
by the transformer, with guidance as users have it; its target is the rendered scene.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from tqdm import trange

from navicache_pocket.train import autoencoder, denoiser
from navicache_pocket.train.clips import to_bytes, to_float
from navicache_pocket.train.cuda_graph import GraphedStep, StepFigures
from navicache_pocket.train.latents import LatentDataset
from navicache_pocket.train.timed_stage import TimedStage, set_learning_rate
from navicache_pocket.world import Scenes, render_videos

BATCH_SIZE = 64


@dataclass(frozen=True)
class PolishSettings:
    """How the decoder is polished."""

    videos: int = 8192
    max_noise: float = 0.6  # highest noise level from which latents are denoised again
    clean_share: float = 0.25  # share of latents without added noise
    guidance: float = 5.0
    steps: int = 10
    learning_rate: float = 3e-4
    warm_up_steps: int = 50


def polish_decoder(
    autoencoder_model: Any,
    denoiser_model: denoiser.WanDenoiser,
    latents: LatentDataset,
    scenes: Scenes,
    stage: TimedStage,
    device: str,
    clip_settings: autoencoder.AutoencoderSettings,
    settings: PolishSettings,
) -> None:
    """Train the decoder in place until the stage's time is up."""
    torch.manual_seed(0)
    optimizer = _make_decoder_optimizer(autoencoder_model, settings.learning_rate, device)
    saved = stage.resume(device)
    if saved:
        autoencoder_model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    if stage.progress == 1:
        return
    given, wanted = _make_training_pairs(denoiser_model, latents, scenes.to(device), clip_settings, settings)
    training_step = GraphedStep(partial(_take_training_step, autoencoder_model, optimizer), autoencoder_model)
    for _ in stage.run_steps(lambda: {"model": autoencoder_model.state_dict(), "optimizer": optimizer.state_dict()}):
        set_learning_rate(optimizer, stage, settings.learning_rate, settings.warm_up_steps)
        rows = torch.randint(0, len(given), (clip_settings.whole_batch,), device=device)
        video = to_float(wanted[rows]).contiguous(memory_format=torch.channels_last_3d)
        stage.log_figures(50, training_step(given[rows].float(), video))


def _make_decoder_optimizer(model: Any, learning_rate: float, device: str) -> torch.optim.Optimizer:
    """AdamW for the decoder alone; its learning rate is a tensor, so that a captured graph sees it change."""
    trained = [*model.decoder.parameters(), *model.post_quant_conv.parameters()]
    graph = {"fused": True, "capturable": True} if device == "cuda" else {}
    moving = torch.tensor(learning_rate, device=device)
    return torch.optim.AdamW(trained, lr=moving, betas=(0.9, 0.95), weight_decay=0.0, **graph)


@torch.no_grad()
@torch.compiler.set_stance("force_eager")  # a compiled block would be compiled again for these few batches
def _make_training_pairs(
    denoiser_model: denoiser.WanDenoiser,
    latents: LatentDataset,
    scenes: Scenes,
    clip_settings: autoencoder.AutoencoderSettings,
    settings: PolishSettings,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Latents with the transformer's errors, and the videos they stand for, as bytes."""
    mean, deviation = (value.view(1, -1, 1, 1, 1) for value in (latents.mean, latents.std))
    given: list[torch.Tensor] = []
    wanted: list[torch.Tensor] = []
    for start in trange(
        0, min(settings.videos, len(latents.values)), BATCH_SIZE, desc="sampling", unit="batch", mininterval=10
    ):
        rows = slice(start, start + BATCH_SIZE)
        sampled = _resample_latents(denoiser_model, latents.values[rows].float(), latents.ids[rows], settings)
        given.append((sampled * deviation + mean).to(torch.bfloat16))
        wanted.append(to_bytes(render_videos(scenes[rows], clip_settings.frames, clip_settings.size)))
    return torch.cat(given), torch.cat(wanted)


def _resample_latents(
    denoiser_model: denoiser.WanDenoiser, clean: torch.Tensor, ids: torch.Tensor, settings: PolishSettings
) -> torch.Tensor:
    """Add noise at a random level per video, and denoise in Euler steps."""
    device = clean.device
    level = settings.max_noise * torch.rand(len(clean), device=device)
    level = torch.where(torch.rand(len(clean), device=device) < settings.clean_share, 0.0, level)
    values = torch.lerp(clean, torch.randn_like(clean), level.view(-1, 1, 1, 1, 1))
    both = torch.cat([ids, denoiser.make_empty_prompts(ids)])
    for step in range(settings.steps):
        sigma = level * (1 - step / settings.steps)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            velocity = denoiser_model(values.repeat(2, 1, 1, 1, 1), sigma.repeat(2), both, 32).float()
        conditional, unconditional = velocity.chunk(2)
        guided = torch.lerp(unconditional, conditional, settings.guidance)
        values = values - guided * (level / settings.steps).view(-1, 1, 1, 1, 1)
    return values


def _take_training_step(model: Any, optimizer: Any, latents: torch.Tensor, video: torch.Tensor) -> StepFigures:
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
