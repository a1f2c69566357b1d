"""A member's training in miniature: it learns, stops in time, goes on, and ends in a folder to look at."""

import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from tests.pocket.train.family.small import HUNYUAN, UNET

from navicache.pocket.members import find_member
from navicache_pocket.train.family import stages
from navicache_pocket.train.family.contact_sheet import draw_contact_sheet, open_pipeline
from navicache_pocket.train.family.stages import TrainingPlan, draw_member_scenes, train_member
from navicache_pocket.train.timed_stage import StageInterrupted
from navicache_pocket.world import draw_scenes, write_captions


def plan(out, **changes):
    few = {"clips": 4, "videos": 4, "autoencoder_batch": 2, "batch": 2, "checked": 2, "sheet": 2, "steps": 2}
    times = {"autoencoder_seconds": 0.05, "denoiser_seconds": 0.05, "distil_seconds": 0.05}
    return TrainingPlan(out, "cpu", **{**few, **times, **changes})


def test_all_stages_end_in_a_folder_that_its_pipeline_opens(recipe, tmp_path, capsys):
    folder = train_member(recipe, plan(tmp_path))
    pipe = open_pipeline(find_member(recipe.name), folder)
    figures = json.loads((tmp_path / "figures.json").read_text())
    wanted = {"autoencoder", "denoiser", *(["distil"] if recipe.is_distilled else [])}
    assert set(figures["stages"]) == wanted
    assert all(stage["steps"] >= 1 and math.isfinite(stage["loss"]) for stage in figures["stages"].values())
    assert set(figures["parameters"]) == {n for n, p in pipe.components.items() if isinstance(p, torch.nn.Module)}
    assert figures["autoencoder"]["psnr"] > figures["autoencoder"]["worst"] > 0
    with Image.open(tmp_path / "sheet.png") as picture:
        assert picture.height > 2 * 16
    assert f"autoencoder of {recipe.name}" in capsys.readouterr().out
    index = json.loads((folder / "model_index.json").read_text())
    assert index["_class_name"] == find_member(recipe.name).pipeline


def test_a_training_that_was_stopped_goes_on_and_a_finished_one_is_not_done_again(tmp_path):
    first = plan(tmp_path, autoencoder_seconds=1000, deadline=time.monotonic() - 1)
    with pytest.raises(StageInterrupted, match="autoencoder"):
        train_member(UNET, first)
    saved = torch.load(tmp_path / "autoencoder.pt", weights_only=True)
    assert saved["step"] == 1, "it stops after the step at which the time was up"
    with pytest.raises(StageInterrupted, match="autoencoder"):
        train_member(UNET, first)
    assert torch.load(tmp_path / "autoencoder.pt", weights_only=True)["step"] == 2
    second = plan(tmp_path, autoencoder_seconds=saved["spent"] / 2)
    folder = train_member(UNET, second)
    assert torch.load(tmp_path / "autoencoder.pt", weights_only=True)["step"] == 2, "its time was spent before"
    weights = open_pipeline(find_member("unet"), folder).unet.conv_in.weight.clone()
    steps = json.loads((tmp_path / "figures.json").read_text())["stages"]
    train_member(UNET, second)
    assert torch.equal(open_pipeline(find_member("unet"), folder).unet.conv_in.weight, weights)
    assert json.loads((tmp_path / "figures.json").read_text())["stages"] == steps


def test_a_denoiser_that_was_stopped_goes_on_although_some_of_its_layers_never_learn(tmp_path):
    stopped = plan(tmp_path, denoiser_seconds=1000, deadline=time.monotonic() - 1, autoencoder_seconds=1e-4)
    for tries in (1, 2):
        with pytest.raises(StageInterrupted, match="denoiser"):
            train_member(HUNYUAN, stopped)
        assert torch.load(tmp_path / "denoiser.pt", weights_only=True)["step"] == tries
    assert torch.load(tmp_path / "autoencoder.pt", weights_only=True)["step"] == 1


def test_members_are_trained_on_captions_that_wan_was_trained_on():
    scenes = draw_member_scenes(8)
    known = set(write_captions(draw_scenes(stages.Wan.videos, stages.Wan.seed)))
    assert len(scenes) == 8
    assert set(write_captions(scenes)) <= known


def test_a_sheet_shows_both_sides_of_every_caption():
    made, rendered = np.zeros((2, 9, 16, 16, 3)), np.ones((2, 9, 16, 16, 3))
    page = np.asarray(draw_contact_sheet(["a ball", "a cube"], made, rendered))
    middle = page.shape[1] // 2
    assert (page[40, 20:100] == 0).all(), "generated on the left"
    assert (page[40, middle + 20 : middle + 100] == 255).all()


@pytest.mark.slow
def test_a_checkpoint_is_trained_further_on_the_latents_it_has(recipe, tmp_path):
    first = open_pipeline(find_member(recipe.name), train_member(recipe, plan(tmp_path / "first")))
    further = plan(tmp_path / "second", start=tmp_path / "first" / "checkpoint", denoiser_seconds=1e-9)
    second = open_pipeline(find_member(recipe.name), train_member(recipe, replace(further, distil_seconds=1e-9)))
    for name, part in first.components.items():
        if isinstance(part, torch.nn.Module):
            there = getattr(second, name).state_dict()
            near = {"atol": 0.02, "rtol": 0.0}  # one step at the smallest rate, and half precision
            assert all(torch.allclose(value, there[key], **near) for key, value in part.state_dict().items()), name
            assert name != "vae" or all(torch.equal(there[key], value) for key, value in part.state_dict().items())
