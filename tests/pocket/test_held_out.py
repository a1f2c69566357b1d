"""Prompts to measure with, and prompts to tune with."""

import pytest

from navicache.pocket.held_out import choose_prompts
from navicache.pocket.world import captions, draw


def test_prompts_are_new_and_tuning_never_sees_the_held_out_ones():
    held_out, tune = choose_prompts("held-out", 64, 3000), choose_prompts("tune", 256, 3000)
    assert (len(set(held_out)), len(set(tune))) == (64, 256)
    assert not set(held_out) & set(tune)
    assert not set(captions(draw(3000, 2))) & {*held_out, *tune}
    assert choose_prompts("held-out", 8, 3000) == held_out[:8]


def test_a_set_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="unknown set 'test': choose from held-out, tune"):
        choose_prompts("test", 1, 10)
    with pytest.raises(ValueError, match="held-out prompts to be had, asked for 5000"):
        choose_prompts("held-out", 5000, 10)
