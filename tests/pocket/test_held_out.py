"""Prompts to measure with, and prompts to tune with."""

import pytest

from navicache.pocket.held_out import CAPTIONS, SETS, choose_prompts
from navicache.pocket.prompts import PROMPTS, VOCABULARY, unknown
from navicache_pocket.train.denoiser import Settings
from navicache_pocket.train.held_out import draw_held_out_captions
from navicache_pocket.train.practice import practice
from navicache_pocket.world import captions, draw, vocabulary

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
    assert not set(captions(draw(Settings.videos, Settings.seed))) & (held_out | tune)


def test_every_take_of_the_training_has_the_same_captions():
    first, second = (set(captions(practice(64, Settings.seed, take))) for take in (0, 3))
    assert first == second == set(captions(draw(64, Settings.seed)))


def test_a_smaller_number_is_the_first_ones():
    assert choose_prompts("held-out", 8) == choose_prompts("held-out", 64)[:8]


def test_a_set_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="unknown set 'test': choose from held-out, tune"):
        choose_prompts("test", 1)
    with pytest.raises(ValueError, match="there are 2492 held-out prompts, and 5000 are asked for"):
        choose_prompts("held-out", 5000)


def test_the_library_knows_the_words_of_the_world():
    assert list(VOCABULARY) == vocabulary()
    assert not any(unknown(prompt) for prompt in PROMPTS)
