"""The targets' promises in miniature."""

import json

import torch
from benchmarks.quality import promises

from navicache_pocket.reader import VideoReading, fit_background_classifier
from navicache_pocket.world import draw_scenes, render_videos, write_captions

PROMPTS = ["a red ball in front of a beach", "a blue cube in front of a night sky"]


def test_both_promises_are_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(promises, "choose_prompts", lambda which, count: PROMPTS[:count])
    few = ["--model", "pocket:unet", "--device", "cpu", "--prompts", "2", "--steps", "12", "--speedups", "2"]
    found = promises.main([*few, "--limit", "0.9", "--out", str(tmp_path / "found.json")])
    assert json.loads((tmp_path / "found.json").read_text()) == found
    assert found["speedup"] == {"2.0": [6, 6]}
    assert all(found["errors"]), "something is reused, and its truth known"
    told = capsys.readouterr().out
    assert "2 prompts, max_error=0.9" in told
    assert "speedup=2.0: 6 to 6 of 12 computed" in told


def test_what_is_within_the_limit_is_counted():
    found = {"model": "m", "dtype": "float32", "steps": 10, "limit": 0.05, "speedup": {}, "changed": {}}
    told = promises.report({**found, "errors": [[0.01, 0.06], [0.01] * 4]})
    assert "30.0 % of the steps reused, within the limit at 83.3 % of them, largest 0.060" in told


def test_another_picture_is_seen():
    scenes = draw_scenes(2, seed=6)
    frames = (render_videos(scenes, frames=5, size=64).movedim(1, -1) + 1) / 2
    backgrounds = fit_background_classifier(scenes=60)
    plain = promises.shown(frames, write_captions(scenes), backgrounds)
    swapped = promises.shown(frames.flip(0), write_captions(scenes)[::-1], backgrounds)
    assert not any(promises.changed(plain, plain).values())
    assert promises.changed(plain, swapped)["colour"] == [0, 1]


def test_what_changed_is_named_by_its_prompts():
    same = dict.fromkeys(("background", "direction", "shape", "shape_overlap"), torch.zeros(3))
    plain, cached = (VideoReading(colour=torch.tensor(colours), **same) for colours in ([1, 2, 3], [1, 0, 3]))
    assert promises.changed(plain, cached) == {"background": [], "colour": [1], "direction": [], "shape": []}
