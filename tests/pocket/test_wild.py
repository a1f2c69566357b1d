import torch

from navicache.pocket import find_unknown_words
from navicache_pocket.train.wild.training import WildTraining, make_transformer
from navicache_pocket.world.wild import (
    WildSettings,
    draw_wild_scenes,
    list_captions,
    render_wild_videos,
    write_captions,
)


def test_the_same_seed_gives_the_same_videos_and_another_seed_others():
    first, same, other = (render_wild_videos(draw_wild_scenes(2, seed), frames=5, size=32) for seed in (1, 1, 2))
    assert torch.equal(first, same) and not torch.equal(first, other)
    assert first.abs().max() <= 1


def test_rows_are_rendered_alike_in_any_batch():
    scenes = draw_wild_scenes(4, seed=0)
    whole = render_wild_videos(scenes, frames=5, size=32)
    assert torch.allclose(whole[2:], render_wild_videos(scenes[2:], frames=5, size=32), atol=1e-6)


def test_captions_have_only_words_that_wan_knows():
    assert not [word for caption in list_captions() for word in find_unknown_words(caption)]
    assert set(write_captions(draw_wild_scenes(200, seed=0))) == set(list_captions())


def test_videos_of_one_caption_differ_much():
    scenes = draw_wild_scenes(256, seed=0)
    alike = scenes[(scenes.hue == 0) & (scenes.mood == 0)]
    assert render_wild_videos(alike, frames=1, size=32).std(0).mean() > 0.25


def test_settings_set_the_board_and_the_tiles():
    scenes = draw_wild_scenes(64, 0, WildSettings(board=2, presence=0.5, tiles=3))
    assert scenes.shape.shape == (64, 4) and scenes.pattern.shape == (64, 9)
    assert 0.35 < (scenes.radius > 0).float().mean() < 0.65


def test_a_tile_changes_nothing_outside_itself():
    scenes = draw_wild_scenes(1, 0, WildSettings(board=0, tiles=2))
    before = render_wild_videos(scenes, frames=1, size=32)[0, :, 0]
    scenes.panel_colour[0, 1] = scenes.panel_colour[0, 1].flip(0)  # the upper right one
    changed = (render_wild_videos(scenes, frames=1, size=32)[0, :, 0] != before).any(0)
    assert changed[:16, 16:].any() and not changed[16:].any() and not changed[:, :16].any()


def test_some_captions_are_not_true():
    scenes = draw_wild_scenes(500, 0, WildSettings(truth=0.5))
    is_true = scenes.caption == scenes.hue * 2 + scenes.mood
    assert 0.45 < is_true.float().mean() < 0.65


def test_the_transformer_is_small_enough():
    with torch.device("meta"):
        model = make_transformer(WildTraining())
    assert sum(weight.numel() for weight in model.parameters()) <= 25_000_000
