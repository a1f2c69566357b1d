"""A member that is an adapter: its base is opened, changed, and sampled in few steps."""

from dataclasses import replace

import pytest
import torch
from diffusers import WanPipeline

import navicache.pocket
from navicache.cli import main
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.pocket import members
from navicache.pocket.members import MEMBERS, checkpoint_path
from navicache_pocket.train.turbo.low_rank import add_low_rank, iterate_matrices, read_low_rank
from navicache_pocket.train.turbo.pipeline import apply_adapter, save_adapter
from navicache_pocket.train.turbo.trajectories import TeacherSettings, build_scheduler, list_levels


@pytest.fixture
def folder(tmp_path, wan_folder, monkeypatch):
    """A random adapter of the tiny wan, in the place of turbo."""
    torch.manual_seed(0)
    layers = add_low_rank(WanPipeline.from_pretrained(wan_folder, dtype=torch.float32).transformer, 2)
    for weight in iterate_matrices(layers):
        weight.data = 0.1 * torch.randn_like(weight)
    save_adapter(read_low_rank(layers), build_scheduler(TeacherSettings()), tmp_path / "turbo")
    folders = {"wan": wan_folder, "turbo": tmp_path / "turbo"}
    monkeypatch.setattr(navicache.pocket, "checkpoint_path", lambda name="wan": folders[name])
    return tmp_path / "turbo"


def test_the_base_is_opened_with_the_adapter_and_its_sampler(folder, wan_folder):
    own, plain = load_pipeline(ModelSource("pocket:turbo", device="cpu")), WanPipeline.from_pretrained(wan_folder)
    before = {name: weight.clone() for name, weight in plain.transformer.named_parameters()}
    apply_adapter(plain, folder)
    for name, weight in own.transformer.named_parameters():
        changed = name.startswith("blocks.") and weight.ndim == 2
        assert torch.equal(weight, before[name]) != changed, name
        assert torch.equal(weight, plain.transformer.get_parameter(name))
    own.scheduler.set_timesteps(8)
    assert torch.equal(own.scheduler.sigmas, list_levels(TeacherSettings()))


def test_a_shift_is_that_of_its_own_sampler(folder):
    pipe = load_pipeline(ModelSource("pocket:turbo", device="cpu", shift=5.0))
    assert (pipe.scheduler.config.shift, pipe.scheduler.config.shift_terminal) == (5.0, TeacherSettings.last_level)


def test_the_command_takes_its_few_steps_without_guidance(folder, tmp_path, monkeypatch, capsys):
    small = {**MEMBERS["turbo"].call, "num_frames": 5, "height": 32, "width": 32}
    monkeypatch.setitem(MEMBERS, "turbo", replace(MEMBERS["turbo"], call=small))
    out = tmp_path / "out"
    assert main(["generate", "--model", "pocket:turbo", "--prompt", "a red ball moves left", "--out", str(out)]) == 0
    assert "computed 6 of 8 steps" in capsys.readouterr().out


def test_a_folder_without_the_adapter_is_to_be_installed_again(tmp_path, monkeypatch):
    monkeypatch.setattr(members, "find_weights_folder", lambda name: tmp_path)
    with pytest.raises(ValueError, match="holds no model: install navicache-pocket again"):
        checkpoint_path("turbo")
