"""`navicache generate --image`: a picture becomes a video, and another picture another one."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from tests.cli.common import SMALL, STATIC, decoded
from tests.tiny.saved import save_wan_i2v

from navicache.cli import main
from navicache.generation.job import CacheSettings, GenerationJob, ModelSource
from navicache.generation.loading import load_pipeline
from navicache.generation.media import open_image
from navicache.generation.timed_calls import call_timed


@pytest.fixture(scope="module")
def i2v_folder(tmp_path_factory):
    return save_wan_i2v(tmp_path_factory.mktemp("tiny") / "i2v")


@pytest.fixture
def picture(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (32, 48, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "picture.png")
    return tmp_path / "picture.png"


def test_it_goes_to_the_pipeline(i2v_folder, picture):
    pipe = load_pipeline(ModelSource(str(i2v_folder), device="cpu"))
    sizes = {"num_frames": 5, "height": 32, "width": 48, "num_inference_steps": 3}
    job = GenerationJob(
        ModelSource(str(i2v_folder)), ("a cat",), {**sizes, "image": str(picture)}, CacheSettings(), Path()
    )
    made = call_timed(pipe, job, "a cat", "", shown=False).media.frames
    for image, same in ((Image.open(picture), True), (Image.new("RGB", (48, 32)), False)):
        noise = torch.Generator().manual_seed(0)
        frames = pipe(image, "a cat", **sizes, generator=noise, output_type="np").frames[0]
        assert np.array_equal(made, frames) == same


def test_generate_names_it_among_the_arguments(i2v_folder, picture, tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--model", i2v_folder, "--prompt", "a cat", "--image", picture, *SMALL, *STATIC, "--compare"]
    assert main([str(option) for option in ("generate", *options, "--out", out)]) == 0, capsys.readouterr().err
    assert json.loads((out / "metrics.json").read_text())["arguments"]["image"] == str(picture)
    assert decoded(out / "video.mp4").shape == (5, 32, 48, 3)


def test_a_picture_is_opened_upright_and_in_three_colours(tmp_path):
    sideways = Image.new("RGBA", (4, 2), (255, 0, 0, 128))
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    sideways.save(tmp_path / "sideways.png", exif=exif)
    opened = open_image(str(tmp_path / "sideways.png"))
    assert (opened.mode, opened.size) == ("RGB", (2, 4))
