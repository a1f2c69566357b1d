"""What the transformer is shown: all captions, the hard ones more often, and none that was held out."""

from collections import Counter

import torch

from navicache_pocket.train.training_scenes import draw_training_scenes
from navicache_pocket.world import concatenate_scenes, draw_scenes, redraw_details, render_videos, write_captions

COUNT, SEED = 400, 3


def test_every_caption_is_shown_and_no_other():
    for take in (0, 1):
        assert set(write_captions(draw_training_scenes(COUNT, SEED, take))) == set(
            write_captions(draw_scenes(COUNT, SEED))
        )


def test_what_turns_has_two_videos_a_night_sky_three_and_both_four():
    once = Counter(write_captions(draw_scenes(COUNT, SEED)))
    shown = Counter(write_captions(draw_training_scenes(COUNT, SEED)))
    for caption, times in once.items():
        turning = any(word in caption for word in ("bouncing", "circling", "spinning"))
        wanted = 1 + turning + 2 * ("night" in caption)
        assert shown[caption] == wanted * times, caption


def test_the_same_take_has_the_same_videos_and_another_has_others():
    first, same, other = (
        draw_training_scenes(COUNT, SEED, 1),
        draw_training_scenes(COUNT, SEED, 1),
        draw_training_scenes(COUNT, SEED, 2),
    )
    assert torch.equal(first.scene_variation, same.scene_variation)
    known = set(first.scene_variation[:, 0].tolist())
    assert not known & set(other.scene_variation[:, 0].tolist())


def test_a_retake_says_the_same_and_looks_different():
    scenes = draw_scenes(4, 0)
    again = redraw_details(scenes, 1)
    assert write_captions(again) == write_captions(scenes)
    assert not torch.equal(render_videos(again, 3, 24), render_videos(scenes, 3, 24))


def test_joined_scenes_stand_in_order():
    parts = draw_scenes(3, 0), draw_scenes(2, 1)
    assert write_captions(concatenate_scenes(parts)) == write_captions(parts[0]) + write_captions(parts[1])
    assert len(concatenate_scenes(parts)) == 5
