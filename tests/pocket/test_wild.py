import json

import pytest
import safetensors.torch
import torch

from navicache.pocket import find_unknown_words
from navicache.pocket.members import checkpoint_path
from navicache_pocket.train.__main__ import main as train
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.wild.pipeline import SHIFT, save_wild_pipeline
from navicache_pocket.train.wild.pool import PoolSettings, build_pool
from navicache_pocket.train.wild.training import WildTraining, train_transformer
from navicache_pocket.world import mask_objects
from navicache_pocket.world.wild import (
    draw_wild_scenes,
    list_wild_captions,
    render_wild_videos,
    select_scenes,
    write_wild_captions,
)


def test_the_same_seed_gives_the_same_videos_and_another_seed_others():
    first, same, other = (render_wild_videos(draw_wild_scenes(2, seed), frames=5, size=32) for seed in (1, 1, 2))
    assert torch.equal(first, same) and not torch.equal(first, other)
    assert first.abs().max() <= 1


def test_rows_are_rendered_alike_in_any_batch():
    scenes = draw_wild_scenes(4, seed=0)
    whole = render_wild_videos(scenes, frames=5, size=32)
    part = render_wild_videos(select_scenes(scenes, slice(2, None)), frames=5, size=32)
    assert torch.allclose(whole[2:], part, atol=1e-6)


def test_captions_have_only_words_that_wan_knows():
    assert not [word for caption in list_wild_captions() for word in find_unknown_words(caption)]
    assert set(write_wild_captions(draw_wild_scenes(2000, seed=0))) == set(list_wild_captions())


def test_videos_of_one_caption_differ_much():
    scenes = draw_wild_scenes(2000, seed=0)
    alike = [place for place, caption in enumerate(write_wild_captions(scenes)) if caption == "a ball"]
    chosen = tuple(layer[torch.tensor(alike)] for layer in scenes)
    assert render_wild_videos(chosen, frames=1, size=32).std(0).mean() > 0.25


def test_more_objects_leave_less_background():
    def measure_covered(crowd):
        scenes = draw_wild_scenes(16, seed=0, crowd=crowd)
        videos, front_only = (render_wild_videos(layers, frames=2, size=32) for layers in (scenes, scenes[:1]))
        return ((videos - front_only).abs().amax(1) > 0.1).float().mean()

    assert 0.03 < measure_covered(4) < measure_covered(6) < 0.5


@pytest.mark.parametrize("crowd", [0, 1, 3])
def test_a_crowd_is_of_pairs(crowd):
    with pytest.raises(ValueError, match=f"even number from 2 on, got {crowd}"):
        draw_wild_scenes(1, 0, crowd)


def test_the_named_objects_are_in_front():
    scenes = draw_wild_scenes(16, seed=0)
    covered = mask_objects(scenes[0], frames=2, size=64).unsqueeze(1)
    alone = render_wild_videos(scenes[:1], frames=2, size=64)
    in_front, behind = (
        ((render_wild_videos(layers, frames=2, size=64) - alone) * covered).abs().mean()
        for layers in (scenes, (scenes[1], scenes[0]))
    )
    assert in_front < 0.2 * behind


def test_a_training_changes_the_transformer_alone(tmp_path):
    base = checkpoint_path()
    pool = build_pool(base, "cpu", PoolSettings(clips=2, frames=5, size=32))
    stage = TimedStage("transformer", tmp_path / "state", 0.01)
    model = train_transformer(stage, pool, base, WildTraining(batch=2))
    assert stage.step >= 1
    assert sum(weight.numel() for weight in model.parameters()) <= 25_000_000
    save_wild_pipeline(model, base, tmp_path / "wild")
    for path in base.rglob("*"):
        if path.is_file() and path.parent.name not in ("transformer", "scheduler"):
            assert path.read_bytes() == (tmp_path / "wild" / path.relative_to(base)).read_bytes(), path
    config = json.loads((tmp_path / "wild" / "scheduler" / "scheduler_config.json").read_text())
    assert config["flow_shift"] == SHIFT
    assert str(base) not in (tmp_path / "wild" / "transformer" / "config.json").read_text()
    old, new = (load_transformer(folder) for folder in (base, tmp_path / "wild"))
    assert old.keys() == new.keys()
    assert sum(not torch.equal(old[name], new[name]) for name in old) > len(old) / 2


def load_transformer(folder):
    shards = sorted((folder / "transformer").glob("*.safetensors"))
    return {name: weight for shard in shards for name, weight in safetensors.torch.load_file(shard).items()}


def test_the_packaged_member_is_wan_with_another_transformer():
    wan, wild = checkpoint_path(), checkpoint_path("wild")
    for path in (wan / "vae", wan / "text_encoder", wan / "tokenizer"):
        for file in path.iterdir():
            assert file.read_bytes() == (wild / path.name / file.name).read_bytes(), file
    weights = load_transformer(wild).values()
    assert sum(weight.numel() for weight in weights) <= 25_000_000
    assert {weight.dtype for weight in weights} == {torch.float16}


def test_the_command_of_all_members_trains_it(tmp_path, monkeypatch, capsys):
    command = ["train", "--member", "wild", "--out", str(tmp_path / "wild"), "--minutes", "0.001", "--clips", "2"]
    monkeypatch.setattr("sys.argv", [*command, "--frames", "5", "--size", "32", "--device", "cpu"])
    with pytest.raises(SystemExit, match="give more --minutes"):
        train()
    assert "pool: 2 clips" in capsys.readouterr().out
