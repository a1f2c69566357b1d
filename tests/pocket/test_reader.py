"""The reader: right on rendered videos, also on damaged ones, and on blocks whose answer is plain."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from navicache_pocket.reader import (
    VideoReading,
    fit_background_classifier,
    judge_reading,
    measure_crispness,
    read_videos,
    validate_reader,
)
from navicache_pocket.reader.degradations import add_noise, blur, compress
from navicache_pocket.reader.objects import UNKNOWN
from navicache_pocket.reader.outlines import match_outlines
from navicache_pocket.world import draw_scenes, mask_objects, render_videos, shapes, words

SMALL = {"frames": 5, "size": 64}  # a fourteenth of the real work
LARGE = ("background", "colour", "direction")  # what can be told at this size; an outline needs more pixels
LIMIT = 0.97


def torn_away(count: int) -> torch.Tensor:
    """Three in ten of the blocks of 4x4 pixels, the same ones at every call: (count, 1, 1, 128, 128)."""
    noise = torch.rand(count, 1, 32, 32, generator=torch.Generator().manual_seed(0))
    return torch.nn.functional.interpolate(noise, scale_factor=4).unsqueeze(2) <= 0.3


@pytest.fixture(scope="module")
def backgrounds():
    return fit_background_classifier()


@pytest.mark.slow
@pytest.mark.parametrize(("split", "seed"), [("seen", 41), ("unseen", 42)])
def test_it_is_right_on_rendered_videos(backgrounds, split, seed):
    found = validate_reader(draw_scenes(150, seed, split), backgrounds, ["clean"], **SMALL)["clean"]
    assert {name: found[name].accuracy for name in LARGE if found[name].accuracy < LIMIT} == {}
    assert found["direction"].is_asked.sum() > 30


@pytest.mark.slow
def test_it_knows_shapes_by_their_outlines(backgrounds):
    scenes = draw_scenes(96, 44)
    video = torch.cat([render_videos(scenes[row : row + 8], frames=5) for row in range(0, 96, 8)])
    found = judge_reading(reading := read_videos(video, scenes.has_pair, backgrounds), scenes)["shape"]
    assert found.accuracy >= LIMIT
    assert found.is_asked.sum() > 80
    fits = reading.shape_overlap[torch.arange(96), scenes.shape[:, 0]][found.is_asked]
    assert 0.85 < fits.mean() < fits.max() <= 1


@pytest.mark.slow
def test_rendered_objects_are_as_crisp_as_rendered_ones_and_torn_ones_are_not():
    scenes = draw_scenes(12, 46)
    video = render_videos(scenes, frames=5)
    same = measure_crispness(video, scenes)
    assert same[~scenes.has_pair, 1].isnan().all()
    assert same.isfinite().sum() > 12
    assert (same[same.isfinite()] == 1).all()
    torn = measure_crispness(torch.where(torn_away(12), -0.5, video), scenes)
    assert torn.nanmean() < 0.85


def test_a_torn_outline_fits_worse():
    scenes = draw_scenes(200, 45)
    scenes = scenes[(scenes.shape[:, 0] == words.SHAPES.index("cross")) & ~scenes.has_pair][:8]
    whole = mask_objects(scenes, frames=1)
    torn = whole & ~torn_away(len(whole)).view_as(whole)
    fits = [match_outlines(mask, scenes.has_pair)[1][:, words.SHAPES.index("cross")] for mask in (whole, torn)]
    assert (fits[1] < fits[0] - 0.1).all()


@pytest.mark.parametrize("angle", range(0, 360, 25))
def test_a_shape_is_known_however_it_is_turned(angle):
    half = (torch.arange(96) + 0.5) * 2 / 96 - 1
    turn = torch.tensor(angle).deg2rad()
    for index, name in enumerate(words.SHAPES):
        x, y = (half - 0.2) / 0.45, (half.view(-1, 1) + 0.1) / 0.45
        u, v = turn.cos() * x + turn.sin() * y, turn.cos() * y - turn.sin() * x
        mask = (shapes.signed_distance(torch.tensor(index), u, v) < 0).view(1, 1, 96, 96)
        found, fits = match_outlines(mask, torch.tensor([False]))
        assert words.SHAPES[found] == name
        assert fits[0, index] > 0.9


def test_what_is_cut_off_has_no_shape():
    mask = torch.zeros(1, 1, 64, 64, dtype=torch.bool)
    mask[..., 20:40, 10:40] = True  # over the middle line
    assert match_outlines(mask, torch.tensor([True]))[0].tolist() == [UNKNOWN]
    assert match_outlines(mask, torch.tensor([False]))[0].tolist() != [UNKNOWN]
    mask[..., 0:40, 10:40] = True
    assert match_outlines(mask, torch.tensor([False]))[0].tolist() == [UNKNOWN]


def test_it_bears_damage(backgrounds):
    found = validate_reader(draw_scenes(48, 43, "unseen"), backgrounds, ["all three"], **SMALL)["all three"]
    assert all(int((found[name].is_asked & ~found[name].is_right).sum()) <= 1 for name in LARGE)


def test_the_batch_does_not_matter(backgrounds):
    scenes = draw_scenes(10, 5)
    video = render_videos(scenes, frames=5, size=32)
    together = read_videos(video, scenes.has_pair, backgrounds)
    alone = [read_videos(video[row : row + 1], bool(scenes.has_pair[row]), backgrounds) for row in range(10)]
    for name in ("background", "colour", "direction"):
        assert getattr(together, name).tolist() == [int(getattr(one, name)) for one in alone]


def block(colour: str, move: tuple[float, float], frames: int = 9, size: int = 48) -> torch.Tensor:
    """A square of this colour on grey that crosses so much of the picture, where half its width is 1."""
    half = (torch.arange(size) + 0.5) * 2 / size - 1
    time = torch.linspace(-0.5, 0.5, frames).view(-1, 1, 1)
    inside = ((half - move[0] * time).abs() < 0.25) & ((half.view(-1, 1) - move[1] * time).abs() < 0.25)
    paint = torch.tensor(words.COLOURS[colour]).view(3, 1, 1, 1)
    return (torch.where(inside, paint, 0.6) * 2 - 1).unsqueeze(0)


@given(st.sampled_from(list(words.COLOURS)), st.sampled_from(list(words.DIRECTIONS)), st.floats(0.3, 1.4))
@settings(max_examples=40, deadline=None)
def test_a_moving_block(colour, way, far):
    across, down = words.DIRECTIONS[way]
    found = read_videos(block(colour, (across * far, down * far)), has_pair=False, classifier=FLAT)
    assert list(words.COLOURS)[found.colour] == colour
    assert list(words.DIRECTIONS)[found.direction] == way


def test_what_stands_still_has_no_direction():
    assert read_videos(block("red", (0.0, 0.0)), False, FLAT).direction.tolist() == [UNKNOWN]


def test_a_picture_without_an_object_has_no_colour():
    found = read_videos(torch.zeros(2, 3, 5, 32, 32), False, FLAT)
    assert found.colour.tolist() == found.direction.tolist() == [UNKNOWN, UNKNOWN]


def test_of_two_blocks_the_left_one_is_read():
    left, right = block("green", (0.0, 0.9)), block("pink", (0.0, -0.9))
    video = torch.cat([left[..., 12:36], right[..., 12:36]], -1)
    found = read_videos(video, True, FLAT)
    assert (list(words.COLOURS)[found.colour], list(words.DIRECTIONS)[found.direction]) == ("green", "falling")


def test_directions_are_asked_for_only_where_there_is_one():
    scenes = draw_scenes(64, 9)
    nothing = torch.full((64,), UNKNOWN)
    verdict = judge_reading(VideoReading(nothing, nothing, nothing, nothing, torch.zeros(64, 6)), scenes)["direction"]
    assert verdict.is_asked.tolist() == [words.MOTIONS[motion] in words.DIRECTIONS for motion in scenes.motion[:, 0]]
    assert not verdict.is_right.any()
    assert verdict.accuracy == 0


def test_damage_is_as_strong_as_it_says():
    video = render_videos(draw_scenes(4, 3), frames=3, size=64)
    quality = {name: -10 * ((f(video) - video).square().mean() / 4).log10() for name, f in DAMAGE.items()}
    assert 30 < quality["noise"] < 31
    assert 27 < quality["compression"] < 32
    assert 28 < quality["blur"] < 40


DAMAGE = {"blur": blur, "noise": add_noise, "compression": compress}
FLAT = fit_background_classifier(scenes=48)
