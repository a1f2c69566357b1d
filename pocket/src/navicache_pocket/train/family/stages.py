"""All stages of a member's training; each resumes where it was interrupted."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from navicache.pocket.members import find_member
from navicache.records import open_atomic_file
from navicache_pocket.train.denoiser import DenoiserSettings as Wan
from navicache_pocket.train.family import autoencoding, denoising
from navicache_pocket.train.family.contact_sheet import open_pipeline, save_contact_sheet
from navicache_pocket.train.family.recipe import MemberRecipe, list_muon_weights
from navicache_pocket.train.fast_autoencoder import use_channels_last
from navicache_pocket.train.latents import LatentDataset
from navicache_pocket.train.pipeline_folder import count_bytes, count_parameters
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.train.training_scenes import draw_training_scenes
from navicache_pocket.world import Scenes, draw_scenes

HELD_OUT_SEED = 1_000_003
AUTOENCODER_LOOP = LoopSettings(
    1e-3, 1e-3, warm_up_steps=100, ema_decay=0.998, adam_beta2=0.95, weight_decay=0.0, log_every=50
)
DENOISER_LOOP = LoopSettings(warm_up_steps=200, ema_decay=0.999)
STUDENT_LOOP = replace(
    DENOISER_LOOP, learning_rate=3e-4, muon_learning_rate=6e-4, warm_up_steps=50
)  # it begins as its own teacher


@dataclass(frozen=True)
class TrainingPlan:
    """Options of a training; seconds of earlier attempts count."""

    out: Path
    device: str
    autoencoder_seconds: float = 170.0
    denoiser_seconds: float = 600.0
    distil_seconds: float = 150.0
    clips: int = 12288  # pictures the autoencoder sees
    videos: int = 49152  # those the denoiser sees
    autoencoder_batch: int = 24
    batch: int = 256
    checked: int = 256  # held-out pictures the autoencoder is measured on
    sheet: int = 16  # captions
    steps: int | None = None  # of the sheet's sampler, in place of the member's own
    start: Path | None = None  # a checkpoint: its autoencoder is kept, its denoiser is trained further
    deadline: float = float("inf")  # by `time.monotonic`: save and stop then

    def make_stage(self, stage: str) -> TimedStage:
        """The stage of this name, with its seconds and deadline."""
        return TimedStage(stage, self.out, getattr(self, f"{stage}_seconds"), deadline=self.deadline)


def train_member(recipe: MemberRecipe, plan: TrainingPlan) -> Path:
    """Train what is not yet trained, and pack it; returns the folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {"member": recipe.name, "stages": {}}
    vae = (
        _train_autoencoder(recipe, plan, figures)
        if plan.start is None
        else _open_kept_autoencoder(recipe, plan, plan.start, figures)
    )
    latents = _load_or_encode_latents(recipe, vae, plan)
    if plan.start is None:
        recipe.set_latent_deviation(vae, float(latents.std))
    model = _train_denoiser(recipe, latents, plan, figures)
    folder = plan.out / "checkpoint"
    recipe.save_pipeline(vae, model, folder)
    _save_figures_and_sheet(recipe, folder, plan, figures)
    return folder


def draw_member_scenes(count: int) -> Scenes:
    """Scenes of wan's captions, shuffled, so that what is held out of its training is held out of all."""
    return draw_training_scenes(Wan.videos, Wan.seed)[:count]


def _train_autoencoder(recipe: MemberRecipe, plan: TrainingPlan, figures: dict[str, Any]) -> Any:
    torch.manual_seed(0)
    vae = use_channels_last(recipe.make_autoencoder().to(plan.device)).train()
    pool = autoencoding.PicturePool(draw_member_scenes(plan.clips), recipe.video_format, plan.device)
    stage = plan.make_stage("autoencoder")
    run_training_loop(
        stage,
        vae,
        list_muon_weights(vae),
        lambda: autoencoding.compute_autoencoder_loss(recipe, vae, *pool.sample_batch(plan.autoencoder_batch)),
        AUTOENCODER_LOOP,
    )
    figures["stages"]["autoencoder"] = summarise_stage(stage)
    return _record_reconstruction(recipe, vae.eval(), plan, figures)


def _open_kept_autoencoder(recipe: MemberRecipe, plan: TrainingPlan, start: Path, figures: dict[str, Any]) -> Any:
    """The autoencoder of the starting checkpoint, so that the latent space stays the same."""
    vae = open_pipeline(find_member(recipe.name), start).vae
    return _record_reconstruction(recipe, vae.float().to(plan.device), plan, figures)


def _record_reconstruction(recipe: MemberRecipe, vae: Any, plan: TrainingPlan, figures: dict[str, Any]) -> Any:
    quality = autoencoding.measure_autoencoder(recipe, vae, draw_scenes(plan.checked, HELD_OUT_SEED), plan.device)
    print(f"autoencoder of {recipe.name}: " + ", ".join(f"{name} {value:.2f} dB" for name, value in quality.items()))
    figures["autoencoder"] = quality
    return vae


def _load_or_encode_latents(recipe: MemberRecipe, vae: Any, plan: TrainingPlan) -> LatentDataset:
    path = plan.out / f"latents-{plan.videos}.pt"
    if not path.exists():
        denoising.encode_member_latents(recipe, vae, draw_member_scenes(plan.videos), plan.device).save(path)
    return LatentDataset.load(path, plan.device)


def _train_denoiser(recipe: MemberRecipe, latents: LatentDataset, plan: TrainingPlan, figures: dict[str, Any]) -> Any:
    torch.manual_seed(0)
    model = recipe.make_denoiser()
    if plan.start is not None:
        pipe = open_pipeline(find_member(recipe.name), plan.start)
        for name, part in model.named_children():
            part.load_state_dict(getattr(pipe, name).state_dict())
    model = model.to(plan.device).train()
    stages = [("denoiser", denoising.make_denoising_loss, DENOISER_LOOP)]
    if recipe.is_distilled:
        stages.append(("distil", denoising.make_distillation_loss, STUDENT_LOOP))
    for name, make_loss, settings in stages:
        stage = plan.make_stage(name)
        run_training_loop(
            stage, model, list_muon_weights(model), make_loss(recipe, model, latents, plan.batch), settings
        )
        figures["stages"][name] = summarise_stage(stage)
    return model.eval()


def summarise_stage(stage: TimedStage) -> dict[str, float]:
    """Seconds, steps and the mean of the last losses."""
    last = [entry["loss"] for entry in stage.log[-10:]]
    return {"seconds": round(stage.seconds_spent, 1), "steps": stage.step, "loss": sum(last) / max(1, len(last))}


def _save_figures_and_sheet(recipe: MemberRecipe, folder: Path, plan: TrainingPlan, figures: dict[str, Any]) -> None:
    known = find_member(recipe.name)
    pipe = open_pipeline(known, folder).to(plan.device)
    figures["parameters"] = count_parameters(pipe.components)
    figures["bytes"] = count_bytes(folder)
    with open_atomic_file(plan.out / "figures.json") as file:
        file.write(json.dumps(figures, indent=1).encode() + b"\n")
    call = {**known.call, "height": recipe.video_format.size, "width": recipe.video_format.size}
    if plan.steps:
        call["num_inference_steps"] = plan.steps
    if "num_frames" in call:
        call["num_frames"] = recipe.video_format.frames
    save_contact_sheet(plan.out / "sheet.png", pipe, call, recipe.video_format, plan.sheet)
