"""A member's training in miniature: it learns, stops in time, goes on, and ends in a folder to look at."""

import json
import math
import time

import numpy as np
import pytest
import torch
from PIL import Image
from tests.pocket.family.small import HUNYUAN, SMALL, UNET

from navicache.pocket.members import member
from navicache.pocket.train.family import stages
from navicache.pocket.train.family.autoencoding import Pool, look
from navicache.pocket.train.family.denoising import distilling, encode_scenes, guided, studying
from navicache.pocket.train.family.recipe import Code, inner
from navicache.pocket.train.family.sheet import lay_out, open_member
from navicache.pocket.train.family.stages import Plan, scenes_shown, train
from navicache.pocket.train.learning import Pace, learn
from navicache.pocket.train.session import Session, TimeIsUp
from navicache.pocket.world import captions, draw

BRISK = Pace(rate=3e-3, matrix_rate=1e-2, warm_up=1, average=0.5, note_every=1)


class Counted(Session):
    """A session of so many steps, by no clock."""

    def steps(self, parts):
        while self.step < self.seconds:
            yield self.step
            self.step += 1


def plan(out, **changes):
    few = {"clips": 4, "videos": 4, "autoencoder_batch": 2, "batch": 2, "checked": 2, "sheet": 2, "steps": 2}
    times = {"autoencoder_seconds": 0.05, "denoiser_seconds": 0.05, "distil_seconds": 0.05}
    return Plan(out, "cpu", **{**few, **times, **changes})


@pytest.fixture(params=[*SMALL])
def recipe(request):
    torch.manual_seed(0)
    return SMALL[request.param]


def losses(session):
    return [entry["loss"] for entry in session.log]


def test_the_autoencoder_learns(recipe, tmp_path):
    vae, session = recipe.autoencoder().train(), Counted("autoencoder", tmp_path, 15)
    video, objects = Pool(draw(2, 0), recipe.pictures, "cpu").batch(2)
    learn(session, vae, inner(vae), lambda: look(recipe, vae, video, objects), BRISK)
    assert np.mean(losses(session)[-3:]) < 0.8 * losses(session)[0]


def test_the_denoiser_learns_with_its_text_encoders(recipe, tmp_path):
    vae, model = recipe.autoencoder().eval(), recipe.denoiser().train()
    latents = encode_scenes(recipe, vae, draw(2, 0), "cpu")
    assert float(latents.values.float().std()) == pytest.approx(1.0, abs=0.02)
    words = [p for name, p in model.named_parameters() if "text_encoder" in name and "embed" in name]
    before = [weight.detach().clone() for weight in words]
    session = Counted("denoiser", tmp_path, 30)
    learn(session, model, inner(model), studying(recipe, model, latents, 8), BRISK)
    assert np.mean(losses(session)[-8:]) < 0.9 * np.mean(losses(session)[:3])
    assert all((now != then).any() for now, then in zip(words, before, strict=True))


def test_a_student_learns_what_its_teacher_does_with_guidance(tmp_path):
    torch.manual_seed(0)
    model = HUNYUAN.denoiser().train()
    latents = encode_scenes(HUNYUAN, HUNYUAN.autoencoder().eval(), draw(4, 0), "cpu")
    noised = HUNYUAN.noise(latents.values.float())
    keep, far = torch.zeros(4, dtype=torch.bool), torch.full((4,), 8.0)
    with torch.no_grad():
        told = model(*noised[:2], latents.ids, keep, torch.ones(4))
        untold = model(*noised[:2], latents.ids, ~keep, torch.ones(4))
    wanted = guided(model, noised, latents.ids, keep, far)
    torch.testing.assert_close(wanted, untold + 8 * (told - untold), atol=1e-4, rtol=1e-4)
    session = Counted("distil", tmp_path, 40)
    learn(session, model, inner(model), distilling(HUNYUAN, model, latents, 8), BRISK)
    with torch.no_grad():
        found = [model(*noised[:2], latents.ids, keep, scale) for scale in (far, torch.ones(4))]
    errors = [float((each - wanted).square().mean()) for each in found]
    assert errors[0] < float((told - wanted).square().mean()), "told a scale, it goes where its teacher is guided"
    assert errors[0] < errors[1], "told another, it does not go so far"


def test_all_stages_end_in_a_folder_that_its_pipeline_opens(recipe, tmp_path, capsys):
    folder = train(recipe, plan(tmp_path))
    pipe = open_member(member(recipe.name), folder)
    figures = json.loads((tmp_path / "figures.json").read_text())
    wanted = {"autoencoder", "denoiser", *(["distil"] if recipe.distilled else [])}
    assert set(figures["stages"]) == wanted
    assert all(stage["steps"] >= 1 and math.isfinite(stage["loss"]) for stage in figures["stages"].values())
    assert set(figures["parameters"]) == {n for n, p in pipe.components.items() if isinstance(p, torch.nn.Module)}
    assert figures["autoencoder"]["psnr"] > figures["autoencoder"]["worst"] > 0
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.height > 2 * 16
    assert f"autoencoder of {recipe.name}" in capsys.readouterr().out
    index = json.loads((folder / "model_index.json").read_text())
    assert index["_class_name"] == member(recipe.name).pipeline


def test_a_training_that_was_stopped_goes_on_and_a_finished_one_is_not_done_again(tmp_path):
    first = plan(tmp_path, autoencoder_seconds=1000, until=time.monotonic() - 1)
    with pytest.raises(TimeIsUp, match="autoencoder"):
        train(UNET, first)
    saved = torch.load(tmp_path / "autoencoder.pt", weights_only=True)
    assert saved["step"] == 1, "it stops after the step at which the time was up"
    with pytest.raises(TimeIsUp, match="autoencoder"):
        train(UNET, first)
    assert torch.load(tmp_path / "autoencoder.pt", weights_only=True)["step"] == 2
    second = plan(tmp_path, autoencoder_seconds=saved["spent"] / 2)
    folder = train(UNET, second)
    assert torch.load(tmp_path / "autoencoder.pt", weights_only=True)["step"] == 2, "its time was spent before"
    weights = open_member(member("unet"), folder).unet.conv_in.weight.clone()
    steps = json.loads((tmp_path / "figures.json").read_text())["stages"]
    train(UNET, second)
    assert torch.equal(open_member(member("unet"), folder).unet.conv_in.weight, weights)
    assert json.loads((tmp_path / "figures.json").read_text())["stages"] == steps


def test_a_denoiser_that_was_stopped_goes_on_although_some_of_its_layers_never_learn(tmp_path):
    stopped = plan(tmp_path, denoiser_seconds=1000, until=time.monotonic() - 1, autoencoder_seconds=1e-4)
    for tries in (1, 2):
        with pytest.raises(TimeIsUp, match="denoiser"):
            train(HUNYUAN, stopped)
        assert torch.load(tmp_path / "denoiser.pt", weights_only=True)["step"] == tries
    assert torch.load(tmp_path / "autoencoder.pt", weights_only=True)["step"] == 1


def test_members_are_trained_on_captions_that_wan_was_trained_on():
    scenes = scenes_shown(8)
    known = set(captions(draw(stages.Wan.videos, stages.Wan.seed)))
    assert len(scenes) == 8
    assert set(captions(scenes)) <= known


class WrongAtObjects:
    """An autoencoder that errs where objects are, and nowhere else."""

    def encode(self, vae, video):
        return Code(torch.randn(2, 1, 64, generator=torch.Generator().manual_seed(0)), torch.zeros(()))

    def decode(self, objects, latents):
        return 0.5 * objects.float().unsqueeze(1)


def test_an_error_at_an_object_counts_more():
    objects = torch.zeros(2, 1, 8, 8, dtype=torch.bool)
    objects[:, :, 2:4, 2:4] = True
    plain, seen = (look(WrongAtObjects(), objects, torch.zeros(2, 3, 1, 8, 8), where) for where in (~objects, objects))
    assert seen["loss"] > 3 * plain["loss"]
    assert seen["psnr"] == plain["psnr"]


def test_a_sheet_shows_both_sides_of_every_caption():
    made, rendered = np.zeros((2, 9, 16, 16, 3)), np.ones((2, 9, 16, 16, 3))
    sheet = np.asarray(lay_out(["a ball", "a cube"], made, rendered))
    middle = sheet.shape[1] // 2
    assert (sheet[40, 20:100] == 0).all(), "generated on the left"
    assert (sheet[40, middle + 20 : middle + 100] == 255).all()


@torch.no_grad()
def test_a_fresh_autoencoder_draws_hardly_any_noise(recipe):
    vae, video = recipe.autoencoder().eval(), recipe.pictures.of(draw(2, 0))
    first, second = (recipe.encode(vae, video) for _ in range(2))
    assert 0 < (first.latents - second.latents).std() < 0.2
    assert 1.5 < first.divergence < 8
