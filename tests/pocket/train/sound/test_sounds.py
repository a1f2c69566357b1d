"""What a scene sounds like, and what is read of it: pitch, timbre, motion, in channels and bands."""

import math
from dataclasses import replace

import pytest
import torch

from navicache_pocket.train.sound.bands import BANDS, SCALE, measure_bands
from navicache_pocket.world import Scenes, draw_scenes, words
from navicache_pocket.world.sounds import HOP, LOWEST_PITCH, PARTIALS, RATE, TIMBRES, measure_levels, render_sounds

HOPS, MOVING = 40, 34


def scene(motion: str = "standing still", colour: str = "green", shape: str = "ball", **more: float) -> Scenes:
    """One object in the middle, upright."""
    drawn = draw_scenes(1, seed=0)
    index = {"motion": words.MOTIONS.index(motion), "colour": [*words.COLOURS].index(colour)}
    index |= {"shape": words.SHAPES.index(shape), "size": 1}
    chosen = {name: torch.full_like(getattr(drawn, name), value) for name, value in index.items()}
    middle = torch.full_like(drawn.object_variation, 0.5)
    return replace(drawn, **chosen, has_pair=torch.tensor([False]), object_variation=middle, **more)


def test_the_levels_say_the_waveform():
    """Every sample as the sum that the module's first lines describe."""
    scenes = draw_scenes(4, seed=1)
    levels, sounds = measure_levels(scenes, HOPS, MOVING), render_sounds(scenes, HOPS, MOVING)
    for sample in (0, 5, 64, 1000, HOPS * HOP - 1):
        hop, share = divmod(sample, HOP)
        level = torch.lerp(levels[..., hop], levels[..., hop + 1], share / HOP)
        partials = torch.tensor([math.sin(2 * math.pi * 125 * k * sample / RATE) for k in range(1, PARTIALS + 1)])
        assert torch.allclose(sounds[..., sample], level @ partials, atol=1e-5)


def test_two_large_objects_stay_below_full_scale():
    assert render_sounds(draw_scenes(200, seed=2), HOPS, MOVING).abs().max() < 1


def test_colour_is_pitch():
    for number, colour in enumerate(words.COLOURS):
        levels = measure_levels(scene(colour=colour), HOPS, MOVING)[0, 0, :, HOPS // 2]
        mean = (levels * torch.arange(1, PARTIALS + 1)).sum() / levels.sum()
        assert mean.item() == pytest.approx(LOWEST_PITCH + number, abs=0.1)


def test_every_shape_has_its_own_timbre():
    assert set(TIMBRES) == set(words.SHAPES) and len(set(TIMBRES.values())) == len(words.SHAPES)
    assert all(sum(shares) == pytest.approx(1) for shares in TIMBRES.values())


@pytest.mark.parametrize("motion", words.MOTIONS)
def test_every_motion_is_heard(motion):
    levels = measure_levels(scene(motion), HOPS, MOVING)[0]  # (channels, partials, edges)
    first, last = levels[..., 5], levels[..., MOVING - 4]
    pitch = (levels.sum(0) * torch.arange(1, PARTIALS + 1)[:, None]).sum(0) / levels.sum((0, 1)).clamp(min=1e-9)
    loudness = levels.square().sum(0).sum(0).sqrt()[5 : MOVING - 4]
    side = levels[1].sum(0) / levels.sum((0, 1)).clamp(min=1e-9)
    said = {
        "moving left": side[5] > side[MOVING - 4] + 0.2,
        "moving right": side[MOVING - 4] > side[5] + 0.2,
        "rising": pitch[MOVING - 4] > pitch[5] + 0.5,
        "falling": pitch[MOVING - 4] < pitch[5] - 0.5,
        "bouncing": pitch[5:-6].max() > pitch[5:-6].min() + 0.5,
        "circling": side[5:-6].max() > side[5:-6].min() + 0.2 and pitch[5:-6].max() > pitch[5:-6].min() + 0.3,
        "spinning": loudness.max() > 2 * loudness.min(),
        "growing": last.sum() > 1.3 * first.sum(),
        "shrinking": last.sum() < 0.8 * first.sum(),
        "standing still": torch.allclose(first, last),
    }
    assert said[motion]


@pytest.mark.parametrize("partial", [1, 7, PARTIALS])
def test_a_partial_is_in_its_band_alone(partial):
    time = torch.arange(20 * HOP) / RATE
    bands = measure_bands(0.1 * torch.sin(2 * math.pi * 125 * partial * time).view(1, 1, -1))[0, 0, 1:-1]
    assert bands.shape == (18, BANDS)
    assert torch.allclose(bands[:, partial], torch.tensor(0.1 * SCALE), atol=1e-4)
    others = torch.arange(BANDS) != partial
    assert bands[:, others].abs().max() < 1e-4
