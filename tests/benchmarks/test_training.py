"""What is said of the embedded model, in miniature: random weights, a handful of steps, small pictures."""

import json
from pathlib import Path

import pytest
import torch
from benchmarks.training import captions as drawn
from benchmarks.training import curves, trajectory
from benchmarks.training.caption_tables import WORDS, crisp, told
from diffusers import WanPipeline
from PIL import Image
from tests.pocket.grammar import parse, thing

from navicache_pocket.reader import ReadingVerdict, VideoReading
from navicache_pocket.world import draw_scenes, words, write_captions

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SMALL = ["--size", "32", "--frames", "5", "--device", "cpu", "--dtype", "float32"]


def test_held_out_captions_are_new_and_half_of_them_unseen():
    trained = set(write_captions(draw_scenes(3000, 2)))
    for split in ("seen", "unseen"):
        scenes = drawn.held_out(split, 64, trained)
        written = write_captions(scenes)
        assert len(written) == 64
        assert not trained & set(written)
        assert (scenes.motion[:, 0] < len(words.DIRECTIONS)).sum() == 40
        kinds = [thing(parse(caption)["first"]) for caption in written]
        unseen = [words.is_unseen(colour, shape, motion) for _, colour, _, shape, motion in kinds]
        assert unseen == [split == "unseen"] * 64
        assert write_captions(drawn.held_out(split, 64, trained)) == written


def test_outlines_are_counted_where_they_were_seen():
    shares = torch.tensor([[1.0, torch.nan], [0.8, 0.95]])
    found = crisp(shares)
    assert found["objects"] == 3
    assert found["ragged"] == 1
    assert found["mean"] == pytest.approx(91.67, abs=0.01)
    assert found["least"] == pytest.approx(80)
    assert crisp(shares[:0]) == {"objects": 0, "mean": 0, "least": 0, "ragged": 0}


def test_what_was_read_is_told_by_its_word():
    nothing, asked = torch.tensor([-1, 1]), torch.tensor([True, True])
    reading = VideoReading(
        **dict.fromkeys(("background", "colour", "direction", "shape"), nothing), shape_overlap=torch.ones(2)
    )
    verdicts = dict.fromkeys(WORDS, ReadingVerdict(is_asked=asked, is_right=torch.tensor([False, True])))
    first, second = told(reading, verdicts)
    assert first["colour"] == {"read": "none", "right": False, "asked": True}
    assert second["shape"] == {"read": words.SHAPES[1], "right": True, "asked": True}


def test_the_committed_logs_are_drawn(tmp_path, capsys):
    curves.main(["--out", str(tmp_path / "new" / "training.png")])
    with Image.open(tmp_path / "new" / "training.png") as new, Image.open(IMAGES / "pocket_training.png") as shown:
        assert new.size == shown.size  # three stages
    with pytest.raises(SystemExit):
        curves.main(["--logs", str(tmp_path), "--out", str(tmp_path / "none.png")])
    assert f"no log of a stage in {tmp_path}" in capsys.readouterr().err


@pytest.mark.slow
def test_captions(checkpoint, tmp_path):
    sizes = ["--captions", "8", "--rendered", "16", "--batch", "3", "--steps", "2", "--trained-videos", "100"]
    lengths = ["--max-sequence-length", "32", "40"]
    paths = ["--checkpoint", str(checkpoint), "--out", str(tmp_path)]
    drawn.main([*SMALL, *sizes, *lengths, *paths])
    found = json.loads((tmp_path / "captions.json").read_text())
    assert set(found["generated"]) == {"32", "40"}
    assert found["reader"]["clean"]["colour"]["all"]["asked"] == 16
    for generated in found["generated"].values():
        assert [generated["table"]["background"][split]["asked"] for split in ("seen", "unseen", "all")] == [4, 4, 8]
        assert len(generated["videos"]) == 8
        assert 0 <= generated["outlines"]["ragged"] <= generated["outlines"]["objects"] <= 16
    assert str(tmp_path) not in json.dumps(found)
    with Image.open(tmp_path / "captions_40.png") as sheet:
        assert sheet.width > 2000


@pytest.mark.slow
def test_the_batch_size_changes_no_video(checkpoint, tmp_path):
    options = drawn._options([*SMALL, "--out", str(tmp_path), "--steps", "2"])
    pipe = WanPipeline.from_pretrained(checkpoint)
    pipe.set_progress_bar_config(disable=True)
    prompts = write_captions(draw_scenes(3, 0))
    videos = []
    for options.batch in (1, 3):
        videos.append(drawn.generate(pipe, prompts, 7, 32, options))
    assert videos[0].shape == (3, 3, 5, 32, 32)
    torch.testing.assert_close(*videos, atol=1e-3, rtol=0)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy:DeprecationWarning"
)  # diffusers' DPM
def test_trajectory(checkpoint, tmp_path):
    sizes = ["--prompts", "3", "--batch", "2", "--steps", "6"]
    trajectory.main([*SMALL, *sizes, "--checkpoint", str(checkpoint), "--out", str(tmp_path)])
    found = json.loads((tmp_path / "trajectory.json").read_text())["trajectories"]
    assert list(found) == list(trajectory.schedulers())
    assert all(torch.tensor(rows).shape == (3, 5) for each in found.values() for rows in each.values())
    assert (tmp_path / "trajectory.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_recorded_ratio_is_the_one_of_the_conditional_branch(checkpoint, tmp_path):
    options = trajectory._options([*SMALL, "--out", str(tmp_path), "--steps", "6", "--prompts", "2", "--batch", "2"])
    pipe = WanPipeline.from_pretrained(checkpoint)
    pipe.set_progress_bar_config(disable=True)
    calls: list[torch.Tensor] = []
    patch = pipe.transformer.patch_embedding.register_forward_hook(lambda _, args, __: calls.append(args[0].clone()))
    outs: list[torch.Tensor] = []
    unpatch = pipe.transformer.proj_out.register_forward_hook(lambda _, __, out: outs.append(out.clone()))
    rows = trajectory.record(pipe, write_captions(draw_scenes(2, 1)), "UniPC", options)
    patch.remove()
    unpatch.remove()
    latents, outputs = torch.stack(calls[::2]), torch.stack(outs[::2])  # guided: the conditional call comes first
    changes = [values.diff(dim=0).abs().flatten(2).mean(2) for values in (outputs, latents)]
    torch.testing.assert_close(torch.tensor(rows["ratio"]), (changes[0] / changes[1]).T, rtol=1e-4, atol=0)
    sizes = outputs[1:].abs().flatten(2).mean(2)
    torch.testing.assert_close(torch.tensor(rows["change"]), (changes[0] / sizes).T, rtol=1e-4, atol=0)
