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
    assert render_wild_videos(alike, frames=1, size=32).std(0).mean() > 0.3


def test_settings_bound_the_objects_and_the_layouts():
    scenes = draw_wild_scenes(64, 0, WildSettings(fewest=2, most=3, layout=0.0))
    counts = (scenes.radius > 0).sum(1)
    assert counts.min() == 2 and counts.max() == 3 and not scenes.layout.any()


def test_the_transformer_is_small_enough():
    with torch.device("meta"):
        model = make_transformer(WildTraining())
    assert sum(weight.numel() for weight in model.parameters()) <= 25_000_000
