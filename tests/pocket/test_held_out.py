"""Prompts to measure with, and prompts to tune with."""

import pytest

from navicache.pocket.held_out import CAPTIONS, SETS, choose_prompts
from navicache.pocket.prompts import PROMPTS, VOCABULARY, find_unknown_words
from navicache_pocket.train.denoiser import DenoiserSettings
from navicache_pocket.train.held_out import draw_held_out_captions
from navicache_pocket.train.training_scenes import draw_training_scenes
from navicache_pocket.world import draw_scenes, list_vocabulary, write_captions

SIZES = {"held-out": 2492, "tune": 2483}


@pytest.mark.parametrize("name", SETS)
def test_a_file_is_what_the_world_draws(name):
    written = (CAPTIONS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    drawn = draw_held_out_captions()[name]
    assert written == drawn, "python -m navicache_pocket.train.held_out writes the files"
    assert len(set(written)) == SIZES[name]


def test_training_never_had_them_and_tuning_never_has_the_held_out_ones():
    held_out, tune = (set(choose_prompts(name, size)) for name, size in SIZES.items())
    assert not held_out & tune
    assert not set(write_captions(draw_scenes(DenoiserSettings.videos, DenoiserSettings.seed))) & (held_out | tune)


def test_every_take_of_the_training_has_the_same_captions():
    first, second = (set(write_captions(draw_training_scenes(64, DenoiserSettings.seed, take))) for take in (0, 3))
    assert first == second == set(write_captions(draw_scenes(64, DenoiserSettings.seed)))


def test_a_smaller_number_is_the_first_ones():
    assert choose_prompts("held-out", 8) == choose_prompts("held-out", 64)[:8]


def test_a_set_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="unknown set 'test': choose from held-out, tune"):
        choose_prompts("test", 1)
    with pytest.raises(ValueError, match="there are 2492 held-out prompts, and 5000 are asked for"):
        choose_prompts("held-out", 5000)


def test_the_library_knows_the_words_of_the_world():
    assert list(VOCABULARY) == list_vocabulary()
    assert not any(find_unknown_words(prompt) for prompt in PROMPTS)
