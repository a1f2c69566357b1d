"""All stages of a member's training, each of which goes on where it was interrupted."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from navicache.pocket.members import member
from navicache.pocket.train.denoiser import Settings as Wan
from navicache.pocket.train.family import autoencoding, denoising
from navicache.pocket.train.family.recipe import Recipe, inner
from navicache.pocket.train.family.sheet import open_member, save_sheet
from navicache.pocket.train.folder import parameters, size
from navicache.pocket.train.latents import Latents
from navicache.pocket.train.learning import Pace, learn
from navicache.pocket.train.practice import practice
from navicache.pocket.train.quick import arranged
from navicache.pocket.train.session import Session
from navicache.pocket.world import Scenes, draw
from navicache.records import open_atomic_file

HELD_OUT_SEED = 1_000_003
AUTOENCODER = Pace(1e-3, 1e-3, warm_up=100, average=0.998, beta=0.95, decay=0.0, note_every=50)
DENOISER = Pace(warm_up=200, average=0.999)
STUDENT = replace(DENOISER, rate=3e-4, matrix_rate=6e-4, warm_up=50)  # it begins as its own teacher


@dataclass(frozen=True)
class Plan:
    """What a training may take; seconds of earlier tries count."""

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
    start: Path | None = None  # a member's checkpoint: its autoencoder is kept, its denoiser learns on
    until: float = float("inf")  # by `time.monotonic`: when to stop and leave the rest to another try

    def session(self, stage: str) -> Session:
        """Of a stage, by its name."""
        return Session(stage, self.out, getattr(self, f"{stage}_seconds"), until=self.until)


def train(recipe: Recipe, plan: Plan) -> Path:
    """Train what is not yet trained, and pack it; returns the folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {"member": recipe.name, "stages": {}}
    vae = _autoencoder(recipe, plan, figures) if plan.start is None else _kept(recipe, plan, plan.start, figures)
    latents = _latents(recipe, vae, plan)
    if plan.start is None:
        recipe.settle(vae, float(latents.std))
    model = _denoiser(recipe, latents, plan, figures)
    folder = plan.out / "checkpoint"
    recipe.pack(vae, model, folder)
    _show(recipe, folder, plan, figures)
    return folder


def scenes_shown(count: int) -> Scenes:
    """Scenes of wan's captions, shuffled, so that what is held out of its training is held out of all."""
    return practice(Wan.videos, Wan.seed)[:count]


def _autoencoder(recipe: Recipe, plan: Plan, figures: dict[str, Any]) -> Any:
    torch.manual_seed(0)
    vae = arranged(recipe.autoencoder().to(plan.device)).train()
    pool = autoencoding.Pool(scenes_shown(plan.clips), recipe.pictures, plan.device)
    session = plan.session("autoencoder")
    learn(
        session,
        vae,
        inner(vae),
        lambda: autoencoding.look(recipe, vae, *pool.batch(plan.autoencoder_batch)),
        AUTOENCODER,
    )
    figures["stages"]["autoencoder"] = _ended(session)
    return _measured(recipe, vae.eval(), plan, figures)


def _kept(recipe: Recipe, plan: Plan, start: Path, figures: dict[str, Any]) -> Any:
    """The autoencoder that the training starts from, so that latents mean what they did."""
    vae = open_member(member(recipe.name), start).vae
    return _measured(recipe, vae.float().to(plan.device), plan, figures)


def _measured(recipe: Recipe, vae: Any, plan: Plan, figures: dict[str, Any]) -> Any:
    quality = autoencoding.measure(recipe, vae, draw(plan.checked, HELD_OUT_SEED), plan.device)
    print(f"autoencoder of {recipe.name}: " + ", ".join(f"{name} {value:.2f} dB" for name, value in quality.items()))
    figures["autoencoder"] = quality
    return vae


def _latents(recipe: Recipe, vae: Any, plan: Plan) -> Latents:
    path = plan.out / f"latents-{plan.videos}.pt"
    if not path.exists():
        denoising.encode_scenes(recipe, vae, scenes_shown(plan.videos), plan.device).save(path)
    return Latents.load(path, plan.device)


def _denoiser(recipe: Recipe, latents: Latents, plan: Plan, figures: dict[str, Any]) -> Any:
    torch.manual_seed(0)
    model = recipe.denoiser()
    if plan.start is not None:
        pipe = open_member(member(recipe.name), plan.start)
        for name, part in model.named_children():
            part.load_state_dict(getattr(pipe, name).state_dict())
    model = model.to(plan.device).train()
    stages = [("denoiser", denoising.studying, DENOISER)]
    if recipe.distilled:
        stages.append(("distil", denoising.distilling, STUDENT))
    for name, looking, pace in stages:
        session = plan.session(name)
        learn(session, model, inner(model), looking(recipe, model, latents, plan.batch), pace)
        figures["stages"][name] = _ended(session)
    return model.eval()


def _ended(session: Session) -> dict[str, float]:
    last = [entry["loss"] for entry in session.log[-10:]]
    return {"seconds": round(session.spent, 1), "steps": session.step, "loss": sum(last) / max(1, len(last))}


def _show(recipe: Recipe, folder: Path, plan: Plan, figures: dict[str, Any]) -> None:
    known = member(recipe.name)
    pipe = open_member(known, folder).to(plan.device)
    figures["parameters"] = parameters(pipe.components)
    figures["bytes"] = size(folder)
    with open_atomic_file(plan.out / "figures.json") as file:
        file.write(json.dumps(figures, indent=1).encode() + b"\n")
    call = {**known.call, "height": recipe.pictures.size, "width": recipe.pictures.size}
    if plan.steps:
        call["num_inference_steps"] = plan.steps
    if "num_frames" in call:
        call["num_frames"] = recipe.pictures.frames
    save_sheet(plan.out / "sheet.png", pipe, call, recipe.pictures, plan.sheet)
