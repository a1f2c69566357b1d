"""`--member NAME`: its options, and what is refused before anything is built."""

import time

import pytest
import torch
from tests.pocket.train.family.small import SMALL

from navicache.pocket.members import MEMBERS
from navicache_pocket.train import __main__ as command
from navicache_pocket.train.family import catalog
from navicache_pocket.train.family.command import parse_plan
from navicache_pocket.train.family.stages import TrainingPlan
from navicache_pocket.train.pipeline_folder import count_parameters

pytestmark = pytest.mark.slow  # whole trainings, in miniature

FEW = ["--device", "cpu", "--clips", "4", "--videos", "4", "--autoencoder-batch", "2", "--batch", "2", "--checked", "2"]
SHORT = ["--autoencoder-seconds", "0.05", "--denoiser-seconds", "0.05", "--sheet", "1", "--steps", "2"]


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["train", *arguments])
    command.main()


def test_one_command_stops_in_time_and_the_next_one_ends_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(catalog.RECIPES, "unet", SMALL["unet"])
    own = ["--member", "unet", "--out", str(tmp_path), *FEW, *SHORT]
    run(monkeypatch, *own, "--denoiser-seconds", "1000", "--stop-after", "0.0001")
    assert "stopped in its stage" in capsys.readouterr().out
    assert not (tmp_path / "checkpoint").exists()
    run(monkeypatch, *own)
    assert f"checkpoint in {tmp_path / 'checkpoint'}" in capsys.readouterr().out
    assert (tmp_path / "sheet.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--member", "sora"], "invalid choice: 'sora'"),
        (["--member", "unet", "--batch", "0"], "must be a whole number above zero, got '0'"),
        (["--member", "unet", "--denoiser-seconds", "-3"], "must be seconds above zero, got '-3'"),
        (["--member", "unet", "--denoiser-seconds", "soon"], "must be seconds above zero, got 'soon'"),
        (["--member", "unet", "--start", "x"], "x is no checkpoint"),
        (["--member", "unet", "--out", __file__, "--device", "cpu"], "is a file: name another folder with --out"),
    ],
)
def test_bad_options(monkeypatch, capsys, arguments, said):
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, *arguments)
    assert said in capsys.readouterr().err


def test_a_gpu_that_is_not_there(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, "--member", "unet", "--device", "cuda")
    assert "PyTorch sees no GPU here: give --device cpu" in capsys.readouterr().err


def test_the_time_of_a_try_counts_from_its_start():
    before = time.monotonic()
    plan = parse_plan("unet", ["--device", "cpu", "--stop-after", "100"])
    assert before + 100 <= plan.deadline <= time.monotonic() + 100
    assert plan.make_stage("autoencoder").deadline == plan.deadline
    assert TrainingPlan(plan.out, "cpu").deadline == float("inf")


@pytest.mark.parametrize("name", catalog.RECIPES)
def test_every_member_is_small(name):
    recipe = catalog.RECIPES[name]
    with torch.device("meta"):
        vae = recipe.make_autoencoder()
    counts = count_parameters({"vae": vae, **dict(recipe.make_denoiser().named_children())})
    assert sum(counts.values()) <= 7.2e6
    text = sum(count for part, count in counts.items() if part.startswith("text_encoder"))
    assert 2 * sum(counts.values()) + 2 * text < 14.4e6, "bytes: text encoders are stored in float32"
    assert recipe.video_format.size == MEMBERS[name].call["height"]
    assert recipe.video_format.frames == MEMBERS[name].call.get("num_frames", 1)
