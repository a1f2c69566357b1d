"""The members with sound and of few steps: their files, and that they make what their captions say."""

import numpy as np
import pytest
import torch
from safetensors import safe_open

from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.pocket.members import ADAPTER, checkpoint_path, find_member
from navicache_pocket.train.family.contact_sheet import generate_videos
from navicache_pocket.train.held_out import draw_held_out_scenes
from navicache_pocket.train.sound.results import generate_pairs, measure_chord_match
from navicache_pocket.train.sound.sizes import SoundSizes
from navicache_pocket.train.turbo.trajectories import TeacherSettings, list_levels
from navicache_pocket.world import render_videos, write_captions
from navicache_pocket.world.sounds import render_sounds

CAPTIONS = 4


@pytest.fixture
def real(monkeypatch):
    """The weights themselves, which tests elsewhere have tiny ones in place of."""
    monkeypatch.setattr("navicache.pocket.checkpoint_path", checkpoint_path)


def count_bytes(name):
    return sum(path.stat().st_size for path in checkpoint_path(name).rglob("*") if path.is_file())


def list_dtypes(path):
    with safe_open(path, "pt") as weights:
        return {weights.get_slice(key).get_dtype() for key in weights.keys()}  # noqa: SIM118


def test_sound_is_small_and_stored_in_half_precision():
    assert count_bytes("sound") < 24e6
    files = [*checkpoint_path("sound").glob("*/diffusion_pytorch_model.safetensors")]
    assert len(files) == 5 and all(list_dtypes(path) == {"F16"} for path in files)
    assert SoundSizes().member == find_member("sound")


def test_turbo_is_an_adapter_and_the_sampler_it_was_trained_for(real):
    assert count_bytes("turbo") < 6e6
    assert list_dtypes(checkpoint_path("turbo") / ADAPTER) == {"F16"}
    scheduler = load_pipeline(ModelSource("pocket:turbo", device="cpu")).scheduler
    scheduler.set_timesteps(find_member("turbo").call["num_inference_steps"])
    assert torch.equal(scheduler.sigmas, list_levels(TeacherSettings()))


@pytest.mark.slow  # no weights change without a training
def test_what_sound_makes_is_seen_and_heard(real):
    """Of held-out captions, each video is nearer to its own scene than to any other, and nearly all sounds are."""
    sizes, scenes = SoundSizes(), choose_scenes()
    pipe = load_pipeline(ModelSource("pocket:sound", device="cpu"))
    call = {**find_member("sound").call, "num_inference_steps": 20}
    videos, sounds = generate_pairs(pipe, write_captions(scenes), call)
    assert list_nearest(videos, sizes.video_format.render_scenes(scenes)) == [*range(CAPTIONS)]
    assert measure_chord_match(sounds, render_sounds(scenes, sizes.hops, sizes.moving_hops)) >= 0.75


@pytest.mark.slow
def test_what_turbo_makes_is_seen(real):
    scenes = choose_scenes()
    pipe = load_pipeline(ModelSource("pocket:turbo", device="cpu"))
    videos = generate_videos(pipe, write_captions(scenes), dict(find_member("turbo").call), batch=1)
    assert list_nearest(videos, render_videos(scenes)) == [*range(CAPTIONS)]


def choose_scenes():
    """The first scenes in front of different backgrounds: what else a background shows, no caption says."""
    scenes = draw_held_out_scenes(24)
    first = {background: place for place, background in reversed([*enumerate(scenes.background.tolist())])}
    return scenes[torch.tensor(sorted(first.values())[:CAPTIONS])]


def list_nearest(made, rendered):
    """For each video the index of the rendered scene that is most like it, both blurred."""
    own = [blurred(videos) for videos in (made, (rendered.permute(0, 2, 3, 4, 1).numpy() + 1) / 2)]
    return np.square(own[0][:, None] - own[1][None]).mean((2, 3, 4)).argmin(1).tolist()


def blurred(videos):
    count, frames, side, _, channels = videos.shape
    return videos.reshape(count, frames, side // 8, 8, side // 8, 8, channels).mean((1, 3, 5))
