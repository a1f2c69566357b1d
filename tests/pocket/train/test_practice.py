"""What the transformer is shown: all captions, the hard ones more often, and none that was held out."""

from collections import Counter

import torch

from navicache_pocket.train.practice import practice
from navicache_pocket.world import captions, draw, join, render, retake

COUNT, SEED = 400, 3


def test_every_caption_is_shown_and_no_other():
    for take in (0, 1):
        assert set(captions(practice(COUNT, SEED, take))) == set(captions(draw(COUNT, SEED)))


def test_what_turns_has_two_videos_a_night_sky_three_and_both_four():
    once = Counter(captions(draw(COUNT, SEED)))
    shown = Counter(captions(practice(COUNT, SEED)))
    for caption, times in once.items():
        turning = any(word in caption for word in ("bouncing", "circling", "spinning"))
        wanted = 1 + turning + 2 * ("night" in caption)
        assert shown[caption] == wanted * times, caption


def test_the_same_take_has_the_same_videos_and_another_has_others():
    first, same, other = practice(COUNT, SEED, 1), practice(COUNT, SEED, 1), practice(COUNT, SEED, 2)
    assert torch.equal(first.scene_freedom, same.scene_freedom)
    known = set(first.scene_freedom[:, 0].tolist())
    assert not known & set(other.scene_freedom[:, 0].tolist())


def test_a_retake_says_the_same_and_looks_different():
    scenes = draw(4, 0)
    again = retake(scenes, 1)
    assert captions(again) == captions(scenes)
    assert not torch.equal(render(again, 3, 24), render(scenes, 3, 24))


def test_joined_scenes_stand_in_order():
    parts = draw(3, 0), draw(2, 1)
    assert captions(join(parts)) == captions(parts[0]) + captions(parts[1])
    assert len(join(parts)) == 5
