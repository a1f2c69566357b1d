"""The reader: right on rendered videos, also on damaged ones, and on blocks whose answer is plain."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from navicache_pocket.reader import Reading, crispness, judge, learn_backgrounds, read, validate
from navicache_pocket.reader.degrade import blur, compress, noise
from navicache_pocket.reader.objects import NONE
from navicache_pocket.reader.outlines import outline
from navicache_pocket.world import covered, draw, render, shapes, words

SMALL = {"frames": 5, "size": 64}  # a fourteenth of the real work
LARGE = ("background", "colour", "direction")  # what can be told at this size; an outline needs more pixels
LIMIT = 0.97


def torn_away(count: int) -> torch.Tensor:
    """Three in ten of the blocks of 4x4 pixels, the same ones at every call: (count, 1, 1, 128, 128)."""
    noise = torch.rand(count, 1, 32, 32, generator=torch.Generator().manual_seed(0))
    return torch.nn.functional.interpolate(noise, scale_factor=4).unsqueeze(2) <= 0.3


@pytest.fixture(scope="module")
def backgrounds():
    return learn_backgrounds()


@pytest.mark.slow
@pytest.mark.parametrize(("split", "seed"), [("seen", 41), ("unseen", 42)])
def test_it_is_right_on_rendered_videos(backgrounds, split, seed):
    found = validate(draw(150, seed, split), backgrounds, ["clean"], **SMALL)["clean"]
    assert {name: found[name].share for name in LARGE if found[name].share < LIMIT} == {}
    assert found["direction"].asked.sum() > 30


@pytest.mark.slow
def test_it_knows_shapes_by_their_outlines(backgrounds):
    scenes = draw(96, 44)
    video = torch.cat([render(scenes[row : row + 8], frames=5) for row in range(0, 96, 8)])
    found = judge(reading := read(video, scenes.pair, backgrounds), scenes)["shape"]
    assert found.share >= LIMIT
    assert found.asked.sum() > 80
    fits = reading.fits[torch.arange(96), scenes.shape[:, 0]][found.asked]
    assert 0.85 < fits.mean() < fits.max() <= 1


@pytest.mark.slow
def test_rendered_objects_are_as_crisp_as_rendered_ones_and_torn_ones_are_not():
    scenes = draw(12, 46)
    video = render(scenes, frames=5)
    same = crispness(video, scenes)
    assert same[~scenes.pair, 1].isnan().all()
    assert same.isfinite().sum() > 12
    assert (same[same.isfinite()] == 1).all()
    torn = crispness(torch.where(torn_away(12), -0.5, video), scenes)
    assert torn.nanmean() < 0.85


def test_a_torn_outline_fits_worse():
    scenes = draw(200, 45)
    scenes = scenes[(scenes.shape[:, 0] == words.SHAPES.index("cross")) & ~scenes.pair][:8]
    whole = covered(scenes, frames=1)
    torn = whole & ~torn_away(len(whole)).view_as(whole)
    fits = [outline(mask, scenes.pair)[1][:, words.SHAPES.index("cross")] for mask in (whole, torn)]
    assert (fits[1] < fits[0] - 0.1).all()


@pytest.mark.parametrize("angle", range(0, 360, 25))
def test_a_shape_is_known_however_it_is_turned(angle):
    half = (torch.arange(96) + 0.5) * 2 / 96 - 1
    turn = torch.tensor(angle).deg2rad()
    for index, name in enumerate(words.SHAPES):
        x, y = (half - 0.2) / 0.45, (half.view(-1, 1) + 0.1) / 0.45
        u, v = turn.cos() * x + turn.sin() * y, turn.cos() * y - turn.sin() * x
        mask = (shapes.distance(torch.tensor(index), u, v) < 0).view(1, 1, 96, 96)
        found, fits = outline(mask, torch.tensor([False]))
        assert words.SHAPES[found] == name
        assert fits[0, index] > 0.9


def test_what_is_cut_off_has_no_shape():
    mask = torch.zeros(1, 1, 64, 64, dtype=torch.bool)
    mask[..., 20:40, 10:40] = True  # over the middle line
    assert outline(mask, torch.tensor([True]))[0].tolist() == [NONE]
    assert outline(mask, torch.tensor([False]))[0].tolist() != [NONE]
    mask[..., 0:40, 10:40] = True
    assert outline(mask, torch.tensor([False]))[0].tolist() == [NONE]


def test_it_bears_damage(backgrounds):
    found = validate(draw(48, 43, "unseen"), backgrounds, ["all three"], **SMALL)["all three"]
    assert all(int((found[name].asked & ~found[name].right).sum()) <= 1 for name in LARGE)


def test_the_batch_does_not_matter(backgrounds):
    scenes = draw(10, 5)
    video = render(scenes, frames=5, size=32)
    together = read(video, scenes.pair, backgrounds)
    alone = [read(video[row : row + 1], bool(scenes.pair[row]), backgrounds) for row in range(10)]
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
    found = read(block(colour, (across * far, down * far)), pair=False, backgrounds=FLAT)
    assert list(words.COLOURS)[found.colour] == colour
    assert list(words.DIRECTIONS)[found.direction] == way


def test_what_stands_still_has_no_direction():
    assert read(block("red", (0.0, 0.0)), False, FLAT).direction.tolist() == [NONE]


def test_a_picture_without_an_object_has_no_colour():
    found = read(torch.zeros(2, 3, 5, 32, 32), False, FLAT)
    assert found.colour.tolist() == found.direction.tolist() == [NONE, NONE]


def test_of_two_blocks_the_left_one_is_read():
    left, right = block("green", (0.0, 0.9)), block("pink", (0.0, -0.9))
    video = torch.cat([left[..., 12:36], right[..., 12:36]], -1)
    found = read(video, True, FLAT)
    assert (list(words.COLOURS)[found.colour], list(words.DIRECTIONS)[found.direction]) == ("green", "falling")


def test_directions_are_asked_for_only_where_there_is_one():
    scenes = draw(64, 9)
    nothing = torch.full((64,), NONE)
    verdict = judge(Reading(nothing, nothing, nothing, nothing, torch.zeros(64, 6)), scenes)["direction"]
    assert verdict.asked.tolist() == [words.MOTIONS[motion] in words.DIRECTIONS for motion in scenes.motion[:, 0]]
    assert not verdict.right.any()
    assert verdict.share == 0


def test_damage_is_as_strong_as_it_says():
    video = render(draw(4, 3), frames=3, size=64)
    quality = {name: -10 * ((f(video) - video).square().mean() / 4).log10() for name, f in DAMAGE.items()}
    assert 30 < quality["noise"] < 31
    assert 27 < quality["compression"] < 32
    assert 28 < quality["blur"] < 40


DAMAGE = {"blur": blur, "noise": noise, "compression": compress}
FLAT = learn_backgrounds(scenes=48)
