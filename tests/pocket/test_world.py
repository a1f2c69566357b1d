"""The world: the same from the same seed, described by its captions, split into seen and unseen kinds."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pocket.grammar import parse, thing

from navicache_pocket.train import tokenizer as tokens
from navicache_pocket.world import (
    draw_scenes,
    list_vocabulary,
    locate_objects,
    mask_objects,
    render_videos,
    words,
    write_captions,
)
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS
from navicache_pocket.world.paths import trace_paths
from navicache_pocket.world.render import PAN_DISTANCE, ZOOM_SHARE

SEEDS = st.integers(0, 2**31)
SPLITS = st.sampled_from(("seen", "unseen"))
SMALL = {"frames": 3, "size": 24}


@given(SEEDS, SPLITS)
@settings(max_examples=5, deadline=None)
def test_the_same_seed_gives_the_same_scenes_and_video(seed, split):
    first, second = draw_scenes(3, seed, split), draw_scenes(3, seed, split)
    assert write_captions(first) == write_captions(second)
    assert torch.equal(render_videos(first, **SMALL), render_videos(second, **SMALL))


def test_another_seed_gives_other_scenes():
    assert write_captions(draw_scenes(8, 0)) != write_captions(draw_scenes(8, 1))


@given(SEEDS, SPLITS)
@settings(max_examples=20, deadline=None)
def test_captions_say_what_the_scenes_hold(seed, split):
    scenes = draw_scenes(16, seed, split)
    for row, caption in enumerate(write_captions(scenes)):
        parts = parse(caption)
        phrases = [parts["first"], parts["second"]] if scenes.has_pair[row] else [parts["first"]]
        assert (parts["second"] is not None) == bool(scenes.has_pair[row])
        for which, phrase in enumerate(phrases):
            assert thing(phrase) == (
                list(words.SIZES)[scenes.size[row, which]],
                list(words.COLOURS)[scenes.colour[row, which]],
                words.TEXTURES[scenes.texture[row, which]],
                words.SHAPES[scenes.shape[row, which]],
                words.MOTIONS[scenes.motion[row, which]],
            )
        assert parts["background"] == words.BACKGROUNDS[scenes.background[row]]
        assert (parts["camera"] or "still") == words.CAMERAS[scenes.camera[row]]


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_training_never_names_an_unseen_kind(seed):
    for caption in write_captions(draw_scenes(64, seed, "seen")):
        for phrase in filter(None, (parse(caption)["first"], parse(caption)["second"])):
            _, colour, _, shape, motion = thing(phrase)
            assert not words.is_unseen(colour, shape, motion), caption


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_unseen_captions_name_one_first(seed):
    for caption in write_captions(draw_scenes(64, seed, "unseen")):
        _, colour, _, shape, motion = thing(parse(caption)["first"])
        assert words.is_unseen(colour, shape, motion), caption


def test_every_colour_shape_and_motion_is_seen_somewhere():
    seen = words.list_object_looks(unseen=False)
    sizes = (len(words.COLOURS), len(words.SHAPES), len(words.MOTIONS))
    assert [{look[column] for look in seen} for column in range(3)] == [set(range(size)) for size in sizes]
    assert len(seen) + len(words.list_object_looks(unseen=True)) == sizes[0] * sizes[1] * sizes[2]


@given(SEEDS, SPLITS)
@settings(max_examples=20, deadline=None)
def test_every_word_is_in_the_vocabulary(seed, split):
    spoken = {
        word for caption in write_captions(draw_scenes(64, seed, split)) for word in caption.replace(",", " , ").split()
    }
    assert spoken <= set(list_vocabulary())


def test_the_longest_caption_fits():
    scenes = draw_scenes(4000, 0)
    full = replace(scenes, has_pair=torch.ones_like(scenes.has_pair), camera=torch.full_like(scenes.camera, 2))
    full = replace(full, texture=torch.ones_like(full.texture))
    lengths = [len(row) for row in tokens.build_tokenizer(list_vocabulary())(write_captions(full)).input_ids]
    assert max(lengths) <= MAX_CAPTION_TOKENS


@given(SEEDS, SPLITS)
@settings(max_examples=5, deadline=None)
def test_videos_are_floats_in_range(seed, split):
    video = render_videos(draw_scenes(4, seed, split), frames=5, size=16)
    assert video.shape == (4, 3, 5, 16, 16)
    assert video.dtype == torch.float32
    assert video.isfinite().all()
    assert video.min() >= -1
    assert video.max() <= 1


@pytest.mark.parametrize("split", ["seen", "unseen"])
def test_a_part_is_rendered_as_in_the_whole(split):
    scenes = draw_scenes(6, 4, split)
    rows = torch.tensor([4, 1])
    torch.testing.assert_close(
        render_videos(scenes[rows], **SMALL), render_videos(scenes, **SMALL)[rows], atol=1e-5, rtol=0
    )


@given(SEEDS, SPLITS)
@settings(max_examples=10, deadline=None)
def test_of_two_objects_each_keeps_its_centre_in_its_half(seed, split):
    scenes = draw_scenes(256, seed, split)
    time = torch.linspace(0, 1, 17)
    camera = scenes.camera.view(-1, 1)
    pan = torch.where(camera == words.CAMERAS.index("panning"), PAN_DISTANCE * (time - 0.5), 0.0)
    zoom = torch.where(camera == words.CAMERAS.index("zooming in"), 1 - ZOOM_SHARE * time, 1.0)
    seen = (trace_paths(scenes, 17).x - pan.unsqueeze(1)) / zoom.unsqueeze(1)
    assert (seen[scenes.has_pair, 0] < 0).all()
    assert (seen[scenes.has_pair, 1] > 0).all()


def test_objects_are_seen_where_they_cover_the_picture():
    balls = [
        row
        for row, scene in enumerate(write_captions(draw_scenes(400, seed=3)))
        if "ball" in scene and " and " not in scene
    ]
    scenes = draw_scenes(400, seed=3)[torch.tensor(balls)]
    shown, middles = mask_objects(scenes, 5, 64).float(), locate_objects(scenes, 5, 64)
    places = torch.arange(64) + 0.5
    inside = ((middles[:, 0] > 14) & (middles[:, 0] < 50)).all(-1)  # a ball cut off by the edge has another middle
    area = shown.sum((2, 3)).clamp(min=1)
    found = torch.stack([(shown.sum(3) @ places) / area, (shown.sum(2) @ places) / area], -1)
    assert inside.sum() > 20
    assert set(scenes.camera[inside.any(1)].tolist()) == {0, 1, 2}
    torch.testing.assert_close(found[inside], middles[:, 0][inside], atol=0.3, rtol=0)


def test_what_is_covered_is_what_differs_from_the_background():
    scenes = draw_scenes(12, seed=5)
    bare = replace(
        scenes, size=torch.zeros_like(scenes.size), object_variation=torch.full_like(scenes.object_variation, 9.0)
    )
    moved = (render_videos(scenes, 3, 64) - render_videos(bare, 3, 64)).abs().amax(1)
    shown = mask_objects(scenes, 3, 64)
    assert moved[shown].mean() > 5 * moved[~shown].mean()
