"""What videos show: captions read back, shares with intervals, and a table that is its file."""

import json

import numpy as np
import pytest
from benchmarks.paper import semantics
from benchmarks.paper.caption_scenes import read_captions
from benchmarks.paper.semantic_rows import ATTRIBUTES, RightShare, read_csv, save_csv, summarise_readings
from benchmarks.paper.semantic_section import semantic_section
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rows import measured_row

from navicache.pocket.held_out import choose_prompts
from navicache.report.video import save_video
from navicache_pocket.reader import fit_background_classifier
from navicache_pocket.world import draw_scenes, render_videos, write_captions

RIGHT = {"read": "red", "right": True, "asked": True}
WRONG = {"read": "none", "right": False, "asked": True}
UNASKED = {"read": "none", "right": False, "asked": False}
GPU = {"machine": {"name": "GPU"}, "batch": 2, "knobs": {}}


def reading(**changes):
    return {**dict.fromkeys(("shape", "colour", "direction", "background"), RIGHT), **changes}


def row(setting, group, read, **more):
    facts = more.pop("facts", {})
    return {**measured_row(setting, group, semantics=read, **more), **GPU, **facts}


@given(st.integers(0, 10**6), st.sampled_from(["seen", "unseen"]))
def test_every_caption_of_the_world_is_read_back(seed, split):
    captions = write_captions(draw_scenes(3, seed, split))
    assert write_captions(read_captions(captions)) == captions


def test_the_held_out_captions_are_too_and_others_are_refused():
    captions = choose_prompts("held-out", 2400)
    assert write_captions(read_captions(captions)) == captions
    with pytest.raises(ValueError, match="no caption of the embedded world"):
        read_captions(["a cat"])


@given(st.integers(1, 400), st.data())
def test_wilsons_interval_solves_its_equation(asked, data):
    found = RightShare(data.draw(st.integers(0, asked)), asked)
    low, high = found.interval
    assert 0 <= low <= found.share <= high <= 1
    for end in (low, high):  # the share lies 1.96 deviations of that end away from it
        assert (found.share - end) ** 2 == pytest.approx(1.96**2 * end * (1 - end) / asked, abs=1e-12)


def test_what_is_not_asked_for_counts_neither_way():
    rows = [
        row("baseline", "a", reading(), kind="baseline", computed=10),
        row("baseline", "b", reading(direction=UNASKED), kind="baseline", computed=10),
        row("T", "a", reading(colour=WRONG), policy="teacache", computed=4),
        row("T", "b", reading(direction=UNASKED), policy="teacache", computed=6),
        measured_row("unread", "a"),
    ]
    rows.append(row("fewer", "a", reading(), policy="none", facts={"steps": {"total": 5, "computed": 5, "partial": 0}}))
    rows.append(row("part", "a", reading(), policy="pab", computed=10, partial=4))
    plain, cached, fewer, part = summarise_readings(rows)
    assert (fewer.computed, part.computed) == (0.5, None)
    assert (plain.setting, plain.decides, plain.shares["motion"], plain.shares["all"]) == (
        "baseline",
        "prompt",
        (1, 1),
        (2, 2),
    )
    assert (cached.decides, cached.computed, cached.videos) == ("call", 0.5, 2)
    assert [cached.shares[name] for name in ATTRIBUTES] == [(2, 2), (1, 2), (1, 1), (2, 2), (1, 2), (1, 2)]


def test_the_table_is_the_file(tmp_path):
    rows = [row("N", "a", reading(colour=WRONG, direction=UNASKED)), row("N", "b", reading())]
    save_csv(tmp_path / "s.csv", summarise_readings(rows))
    (found,) = read_csv(tmp_path / "s.csv")
    (table,) = semantic_section([found]).tables
    (line,) = table.lines
    assert len(line.cells) == len(table.headings)
    assert [cell.text for cell in line.cells[:4]] == ["N", "prompt", "2", "50.0"]
    for cell, name in zip(line.cells[4:], ATTRIBUTES, strict=True):
        share = found.shares[name]
        assert cell.sort == (None if share.share is None else pytest.approx(100 * share.share))
    (tmp_path / "other.csv").write_text("a\n")
    with pytest.raises(ValueError, match="make it again"):
        read_csv(tmp_path / "other.csv")


@pytest.fixture
def results(tmp_path):
    """A folder with two kept videos: its own caption's scene, and another one's under the same caption."""
    caption, _ = write_captions(scenes := draw_scenes(2, seed=6))
    clips = (render_videos(scenes, frames=5, size=64).movedim(1, -1).numpy() + 1) / 2
    rows = []
    for number, kind in enumerate(("baseline", "cached")):
        save_video(np.ascontiguousarray(clips[number]), tmp_path / f"{number}.mp4", 8)
        about = {"prompt": caption, "video": f"{number}.mp4", "arguments": {"num_frames": 5, "height": 64}}
        rows.append({**measured_row(kind, "g", kind=kind, **about), **GPU})
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    return tmp_path


def test_kept_videos_are_read(results, monkeypatch, capsys):
    classifier = fit_background_classifier(scenes=96)
    monkeypatch.setattr(semantics, "CaptionReader", lambda device: READER(device, classifier))
    assert semantics.main([str(results), "--device", "cpu", "--csv", str(results / "s.csv")]) == 0
    plain, cached, rendered = read_csv(results / "s.csv")
    assert plain.shares["colour"] == rendered.shares["colour"] == (1, 1)
    assert cached.shares["as plain"] == (0, 1)
    assert (rendered.setting, rendered.computed) == ("rendered", None)
    assert "colour 1/1" in capsys.readouterr().out


def test_results_without_videos_are_refused(results, monkeypatch, capsys):
    monkeypatch.setattr(semantics, "CaptionReader", lambda device: None)
    (results / "rows.jsonl").write_text(json.dumps({**measured_row("N"), "video": None}) + "\n")
    assert semantics.main([str(results), "--device", "cpu"]) == 2
    assert "no video was kept" in capsys.readouterr().err


READER = semantics.CaptionReader
