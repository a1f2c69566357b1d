"""The packaged members: what they are, and that they make what their captions say."""

import numpy as np
import pytest
import torch
from safetensors import safe_open

from navicache.pocket.members import checkpoint_path, find_member
from navicache_pocket.train.family.catalog import RECIPES
from navicache_pocket.train.family.contact_sheet import generate_videos, open_pipeline
from navicache_pocket.world import draw_scenes, write_captions

NAMES = list(RECIPES)


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def pipe(name):
    return open_pipeline(find_member(name), checkpoint_path(name))


def test_it_is_small_and_stored_in_half_precision(name, pipe):
    files = [path for path in checkpoint_path(name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 16e6
    parts = [part for part in pipe.components.values() if isinstance(part, torch.nn.Module)]
    assert sum(weights.numel() for part in parts for weights in part.parameters()) <= 8e6
    for path in checkpoint_path(name).glob("*/diffusion_pytorch_model.safetensors"):
        with safe_open(path, "pt") as weights:
            assert {weights.get_slice(key).get_dtype() for key in weights.keys()} == {"F16"}, path  # noqa: SIM118


def test_its_pipeline_is_the_one_it_is_said_to_be(name, pipe):
    assert type(pipe).__name__ == find_member(name).pipeline


@pytest.mark.slow  # no weights change without a training
def test_it_makes_what_the_captions_say(name, pipe):
    """Of four captions it never saw, each picture is nearer to its own scene as rendered than to any other."""
    scenes = draw_scenes(24, seed=515_151)
    texts = write_captions(scenes)
    backgrounds = [text.split(" in front of ")[1].split(",")[0] for text in texts]
    chosen = torch.tensor([backgrounds.index(background) for background in dict.fromkeys(backgrounds)][:4])
    pictures = RECIPES[name].video_format
    rendered = (pictures.render_scenes(scenes[chosen]).permute(0, 2, 3, 4, 1).numpy() + 1) / 2
    call = {**find_member(name).call, "num_inference_steps": 8}
    made = generate_videos(pipe, [texts[i] for i in chosen], call)
    distance = np.square(blurred(made)[:, None] - blurred(rendered)[None]).mean((2, 3, 4))
    assert len(chosen) == 4
    assert distance.argmin(1).tolist() == [0, 1, 2, 3]
    assert distance.diagonal().max() < 0.02


def blurred(pictures):
    """Over all frames and eight by eight pixels: what a floor's squares are like, not where each one is."""
    count, frames, side, _, channels = pictures.shape
    return pictures.reshape(count, frames, side // 8, 8, side // 8, 8, channels).mean((1, 3, 5))
