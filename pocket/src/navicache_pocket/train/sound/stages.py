"""All stages of the training; each resumes where it was interrupted."""

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from diffusers import LTX2Pipeline
from torch import nn

from navicache.records import open_atomic_file
from navicache_pocket.train.family.autoencoding import PicturePool, compute_autoencoder_loss, measure_autoencoder
from navicache_pocket.train.family.diffusers_vae import DiffusersAutoencoderMixin
from navicache_pocket.train.family.recipe import list_muon_weights
from navicache_pocket.train.family.stages import (
    AUTOENCODER_LOOP,
    DENOISER_LOOP,
    HELD_OUT_SEED,
    draw_member_scenes,
    summarise_stage,
)
from navicache_pocket.train.fast_autoencoder import use_channels_last
from navicache_pocket.train.pipeline_folder import count_bytes, count_parameters, save_pipeline
from navicache_pocket.train.sound import autoencoding, parts, results
from navicache_pocket.train.sound.denoising import SoundDenoiser, SoundLatents, encode_scenes, make_denoising_loss
from navicache_pocket.train.sound.gemma_tokenizer import build_gemma_tokenizer
from navicache_pocket.train.sound.sizes import SoundSizes
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.world import draw_scenes, list_vocabulary

RESERVE = 25.0  # seconds before the deadline, for the checkpoint, the figures and the samples


@dataclass(frozen=True)
class SoundPlan:
    """Options of a training; seconds of earlier attempts count."""

    out: Path
    device: str
    autoencoder_seconds: float = 115.0
    audio_seconds: float = 50.0
    vocoder_seconds: float = 90.0
    denoiser_seconds: float = 290.0
    clips: int = 12288  # videos and sounds that the autoencoders meet
    videos: int = 49152  # those that the denoiser meets
    autoencoder_batch: int = 24
    audio_batch: int = 64
    batch: int = 256
    checked: int = 256  # held-out videos and sounds the autoencoders are measured on
    sheet: int = 16  # captions
    steps: int | None = None  # of the samples, in place of the member's own
    eager: bool = False  # on a GPU the transformer's blocks are compiled else
    deadline: float = float("inf")  # by `time.monotonic`: save and stop then
    sizes: SoundSizes = SoundSizes()

    def make_stage(self, name: str) -> TimedStage:
        """The stage of this name, with its seconds and deadline."""
        return TimedStage(name, self.out, getattr(self, f"{name}_seconds"), deadline=self.deadline)

    def fit_denoiser(self) -> "SoundPlan":
        """Less time for the denoiser if the deadline asks for it; less than half is left to another attempt."""
        left = self.deadline - time.monotonic() - RESERVE
        return replace(self, denoiser_seconds=min(self.denoiser_seconds, max(left, self.denoiser_seconds / 2)))


@dataclass(frozen=True)
class VideoRecipe(DiffusersAutoencoderMixin):
    """What the family's code for autoencoders asks of a recipe."""

    sizes: SoundSizes

    @property
    def video_format(self) -> Any:
        """Frames and size."""
        return self.sizes.video_format


def train_sound(plan: SoundPlan) -> Path:
    """Train what is not yet trained, and pack it; returns the folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {"member": "sound", "stages": {}}
    vae = _train_video_autoencoder(plan, figures)
    audio_vae, vocoder = _train_sound_parts(plan, figures)
    path = plan.out / f"latents-{plan.videos}.pt"
    if not path.exists():
        scenes = draw_member_scenes(plan.videos)
        encode_scenes(vae, audio_vae, scenes, plan.sizes, plan.device).save(path)
    latents = SoundLatents.load(path, plan.device)
    latents.store_moments(vae, audio_vae)
    model = SoundDenoiser(plan.sizes).to(plan.device).train()
    if plan.device.startswith("cuda") and not plan.eager:
        compile_blocks(model.transformer)
    loss = make_denoising_loss(model, latents, plan.batch)
    _run_stage("denoiser", plan.fit_denoiser(), model, loss, list_muon_weights(model), DENOISER_LOOP, figures)
    folder = plan.out / "checkpoint"
    _save_checkpoint(folder, model.eval(), {"vae": vae, "audio_vae": audio_vae, "vocoder": vocoder})
    _save_figures_and_samples(folder, plan, figures)
    return folder


def compile_blocks(transformer: Any, **options: Any) -> None:
    """Compile the transformer's block once for all of them.

    Under autocast the first one would get bfloat16 and the others float32, which are two compilations.
    """
    for first in (transformer.proj_in, transformer.audio_proj_in):
        first.register_forward_hook(lambda _module, _given, output: output.float())
    transformer.compile_repeated_blocks(**options)


def _train_video_autoencoder(plan: SoundPlan, figures: dict[str, Any]) -> Any:
    torch.manual_seed(0)
    recipe: Any = VideoRecipe(plan.sizes)
    vae: Any = parts.make_video_autoencoder(plan.sizes)
    vae = use_channels_last(vae.to(plan.device)).train()
    pool = PicturePool(draw_member_scenes(plan.clips), plan.sizes.video_format, plan.device)

    def compute_loss() -> dict[str, torch.Tensor]:
        return compute_autoencoder_loss(recipe, vae, *pool.sample_batch(plan.autoencoder_batch))

    _run_stage("autoencoder", plan, vae, compute_loss, list_muon_weights(vae), AUTOENCODER_LOOP, figures)
    checked = draw_scenes(plan.checked, HELD_OUT_SEED)
    with torch.no_grad():
        figures["video"] = measure_autoencoder(recipe, vae.eval(), checked, plan.device)
    print("video autoencoder: " + _format_figures(figures["video"]), flush=True)
    return vae


def _train_sound_parts(plan: SoundPlan, figures: dict[str, Any]) -> tuple[Any, Any]:
    torch.manual_seed(0)
    vae: Any = parts.make_audio_autoencoder(plan.sizes)
    vocoder: Any = parts.make_vocoder(plan.sizes)
    vae, vocoder = use_channels_last(vae.to(plan.device)).train(), vocoder.to(plan.device).train()
    pool = autoencoding.SoundPool(draw_member_scenes(plan.clips), plan.sizes, plan.device)
    loss = autoencoding.make_audio_loss(vae, pool, plan.audio_batch)
    _run_stage("audio", plan, vae, loss, list_inner_kernels(vae), AUTOENCODER_LOOP, figures)
    loss = autoencoding.make_vocoder_loss(vocoder, vae.eval(), pool, plan.audio_batch)
    _run_stage("vocoder", plan, vocoder, loss, list_inner_kernels(vocoder), AUTOENCODER_LOOP, figures)
    checked = draw_scenes(plan.checked, HELD_OUT_SEED)
    figures["audio"] = results.measure_sound_parts(vae, vocoder.eval(), checked, plan.sizes, plan.device)
    print("audio autoencoder and vocoder: " + _format_figures(figures["audio"]), flush=True)
    return vae, vocoder


def list_inner_kernels(model: nn.Module) -> list[torch.Tensor]:
    """The kernels of the residual blocks, for Muon."""
    named = [(name, weight) for name, weight in model.named_parameters() if "block" in name or "resnets" in name]
    return [weight for _, weight in named if weight.ndim > 1 and min(weight.shape[:2]) >= 8]


def _run_stage(
    name: str,
    plan: SoundPlan,
    model: nn.Module,
    compute_loss: Any,
    matrices: list[torch.Tensor],
    settings: LoopSettings,
    figures: dict[str, Any],
) -> None:
    stage = plan.make_stage(name)
    run_training_loop(stage, model, matrices, compute_loss, settings)
    figures["stages"][name] = summarise_stage(stage)


def _save_checkpoint(folder: Path, model: SoundDenoiser, codecs: dict[str, Any]) -> None:
    own = {name: getattr(model, name) for name in ("text_encoder", "connectors", "transformer")}
    tokenizer: Any = build_gemma_tokenizer(list_vocabulary())
    pipe = LTX2Pipeline(scheduler=parts.make_scheduler(), tokenizer=tokenizer, **own, **codecs)
    save_pipeline(pipe, folder)


def _save_figures_and_samples(folder: Path, plan: SoundPlan, figures: dict[str, Any]) -> None:
    pipe = LTX2Pipeline.from_pretrained(folder).to(plan.device)
    call = {**plan.sizes.member.call, **({"num_inference_steps": plan.steps} if plan.steps else {})}
    figures["samples"] = results.save_samples(plan.out, pipe, call, plan.sizes, plan.sheet)
    figures["parameters"] = count_parameters(pipe.components)
    figures["bytes"] = count_bytes(folder)
    with open_atomic_file(plan.out / "figures.json") as file:
        file.write(json.dumps(figures, indent=1).encode() + b"\n")


def _format_figures(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
