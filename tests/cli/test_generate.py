"""`navicache generate` writes what it promises, and its figures are those of the frames it made."""

import json

import numpy as np
import pytest
import torch
from diffusers import DiffusionPipeline
from PIL import Image
from tests.cli.common import SMALL, STATIC, decoded
from tests.support.files import names_in

import navicache
from navicache import Trace
from navicache.cli import main
from navicache.report.side_by_side import AMPLIFIED, GAP, STRIP

COMPARED = ["metrics.json", "plain.mp4", "side_by_side.mp4", "trace.json", "trace.png", "video.mp4"]


def frames_of(folder, prompt, policy=None, seed=7):
    """The same call by hand."""
    pipe = DiffusionPipeline.from_pretrained(folder, dtype=torch.float32)
    pipe.set_progress_bar_config(disable=True)
    sizes = {"num_frames": 5, "height": 32, "width": 48, "num_inference_steps": 8, "guidance_scale": 5.0}
    if policy:
        navicache.enable(pipe, policy)
    return pipe(prompt, **sizes, generator=torch.Generator().manual_seed(seed), output_type="np").frames[0]


def test_compare_writes_everything_and_its_figures_are_true(tmp_path, wan_folder, capsys):
    out = tmp_path / "new" / "folder"
    prompt = "a red ball moves left"
    assert main(["generate", "--prompt", prompt, *SMALL, *STATIC, "--seed", "7", "--compare", "--out", str(out)]) == 0
    assert names_in(out) == COMPARED

    (run,) = Trace.load(out / "trace.json").runs
    assert (run.policy, run.length, run.total) == ("static", 8, 8)
    assert 1 < run.computed < 8
    figures = json.loads((out / "metrics.json").read_text())
    assert figures["steps"] == {"total": 8, "computed": run.computed, "reused": 8 - run.computed}

    plain, cached = frames_of(wan_folder, prompt), frames_of(wan_folder, prompt, "static")
    assert not np.array_equal(plain, cached)
    errors = ((plain.astype(float) - cached) ** 2).mean((1, 2, 3))
    assert figures["quality"]["psnr"] == pytest.approx(-10 * np.log10(errors).mean(), abs=1e-3)
    assert figures["quality"]["psnr_pooled"] == pytest.approx(-10 * np.log10(errors.mean()), abs=1e-3)

    for side in figures["seconds"].values():
        assert 0 < side["loop"] < side["call"]
    seconds = {side: times["loop"] for side, times in figures["seconds"].items()}
    assert figures["speedup"]["loop"] == pytest.approx(seconds["plain"] / seconds["cached"])
    assert figures["seed"] == 7
    assert (figures["arguments"]["num_inference_steps"], figures["arguments"]["guidance_scale"]) == (8, 5.0)

    printed = capsys.readouterr()
    assert f"computed {run.computed} of 8 steps" in printed.out
    assert f"PSNR {figures['quality']['psnr']:.2f} dB" in printed.out
    assert str(out / "side_by_side.mp4") in printed.out
    assert f"8/8 computed {run.computed} reused {8 - run.computed} " in printed.err
    assert "8/8 computed 8 reused 0 " in printed.err

    for name, frames in (("plain.mp4", plain), ("video.mp4", cached)):
        assert decoded(out / name).shape == (5, 32, 48, 3)
        assert np.abs(decoded(out / name) / 255 - frames).mean() < 0.03  # H.264 halves the colours' resolution
    check_side_by_side(decoded(out / "side_by_side.mp4") / 255, plain, cached)


def check_side_by_side(frames, plain, cached):
    """Three panels of 48 pixels, enlarged six times, each under its strip."""
    wide, high = 48 * 6, 32 * 6
    assert frames.shape == (5, STRIP + high, 3 * wide + 2 * GAP, 3)
    wanted = (plain, cached, np.clip(np.abs(plain - cached) * AMPLIFIED, 0, 1))
    for number, panel in enumerate(wanted):
        left = number * (wide + GAP)
        strip, picture = np.split(frames[:, :, left : left + wide], [STRIP], axis=1)
        assert strip[:, 4:-4].max() > 0.8, "a light label"
        assert np.median(strip[:, 4:-4]) < 0.2, "on a dark strip"
        assert np.abs(picture[:, 3::6, 3::6] - panel).mean() < 0.05


def test_without_compare_there_is_a_video_and_its_trace(tmp_path, capsys):
    assert main(["generate", *SMALL, *STATIC, "--fps", "4", "--out", str(tmp_path)]) == 0
    assert names_in(tmp_path) == ["trace.json", "video.mp4"]
    printed = capsys.readouterr()
    assert "warming up" not in printed.err
    assert "no cache" not in printed.out + printed.err
    assert "a red ball moves left" in printed.out, "the pocket's own prompt"


def test_the_seed_decides_the_video(tmp_path):
    for seed, name in (("1", "a"), ("1", "b"), ("2", "c")):
        main(["generate", *SMALL, *STATIC, "--seed", seed, "--out", str(tmp_path / name)])
    first, again, other = (decoded(tmp_path / name / "video.mp4").astype(float) for name in "abc")
    # Not to the bit: one rounding of a float may tip a decision of the encoder.
    assert np.abs(first - again).mean() < 0.5
    assert np.abs(first - other).mean() > 4 * 0.5


def test_several_prompts_have_a_folder_each(tmp_path, wan_folder):
    prompts = ["--prompt", "a red ball moves left", "--prompt", "A blue cat, moves right!"]
    assert main(["generate", "--model", str(wan_folder), *prompts, *SMALL, *STATIC, "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["01-a-red-ball-moves-left", "02-a-blue-cat-moves-right"]
    videos = [decoded(path / "video.mp4") for path in sorted(tmp_path.iterdir())]
    assert not np.array_equal(*videos)
    assert all(len(Trace.load(path / "trace.json").runs) == 1 for path in tmp_path.iterdir())


def test_an_image_pipeline_gives_pictures(tmp_path, image_folder, capsys):
    sizes = ["--height", "64", "--width", "64", "--steps", "8"]
    options = ["--model", str(image_folder), "--prompt", "a cat", *sizes, *STATIC, "--compare", "--out", str(tmp_path)]
    assert main(["generate", *options]) == 0, capsys.readouterr().err
    assert names_in(tmp_path) == [
        "image.png",
        "metrics.json",
        "plain.png",
        "side_by_side.png",
        "trace.json",
        "trace.png",
    ]
    with Image.open(tmp_path / "side_by_side.png") as picture:
        assert picture.size == (3 * 256 + 2 * GAP, 256 + STRIP)
    plain, cached = (np.asarray(Image.open(tmp_path / name)) for name in ("plain.png", "image.png"))
    assert plain.shape == (64, 64, 3)
    error = ((plain / 255.0 - cached / 255.0) ** 2).mean()
    psnr = json.loads((tmp_path / "metrics.json").read_text())["quality"]["psnr"]
    assert psnr == pytest.approx(-10 * np.log10(error), abs=0.2)  # the file has bytes, the figure is of the floats
