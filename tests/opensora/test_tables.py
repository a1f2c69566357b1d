"""Prompts, masks, resolutions and lengths against the reference, and what they refuse."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.opensora.common import table

from navicache.opensora.masks import Placement, aligned, apply_strategy, parse_strategy
from navicache.opensora.prompts import Scores, clean, merge, prepare, prompt_of, segments, split_request, with_scores
from navicache.opensora.sizes import frame_count, latent_size, tables, video_size


@pytest.mark.parametrize("case", table("text_cases"), ids=lambda case: case["with_score"][:30])
def test_prompts(case: dict) -> None:
    scored = with_scores(case["prompt"], Scores(case["aes"], case["flow"], case["camera_motion"]))
    assert scored == case["with_score"]
    assert clean(scored) == case["cleaned"]


def test_a_prompt_that_looks_like_a_file_does_not_warn() -> None:
    assert clean("sunset.html") == "sunset. html"


@pytest.mark.parametrize("case", table("prompt_segments_cases"))
def test_segments(case: dict) -> None:
    parts = segments(case["prompt"])
    assert list(parts.values()) == case["segments"]
    assert case["loop_idx"] in (list(parts), None)
    ready = prepare(case["prompt"], Scores())
    assert merge(ready) == case["merged"]
    assert [prompt_of(ready, loop) for loop in range(len(case["per_loop"]))] == case["per_loop"]


def test_a_segment_holds_until_the_next() -> None:
    parts = segments("|0| calm |2| storm")
    assert [prompt_of(parts, loop) for loop in range(4)] == ["calm", "calm", "storm", "storm"]


def test_segments_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"in order and each once, got \[0, 2, 1\]"):
        segments("|0| a |2| b |1| c")


def test_a_json_tail_is_split_off() -> None:
    assert split_request('a cat {"reference_path": "x.png", "mask_strategy": "0"}').reference_path == "x.png"
    with pytest.raises(ValueError, match="must be JSON"):
        split_request("a cat {not json")


@pytest.mark.parametrize("case", table("mask_strategy_cases")["cases"], ids=lambda case: case["strategy"] or "none")
def test_mask_strategies(case: dict) -> None:
    references = [
        (torch.arange(frames) + 1.0 + 100 * number).view(1, frames, 1, 1)
        for number, frames in enumerate(case["ref_latent_frames"])
    ]
    empty = torch.zeros(1, case["latent_frames"], 1, 1)
    placements = parse_strategy(case["strategy"])
    latents, mask = apply_strategy(empty, references, placements, case["loop"], case["align"])
    assert mask.tolist() == case["mask"]
    assert latents.flatten().tolist() == case["copied_from"]
    assert not empty.any()


@given(st.integers(-40, 40), st.integers(1, 40), st.sampled_from([None, 5]))
def test_starts_lie_within_and_on_groups(start: int, total: int, align: int | None) -> None:
    if not -total <= start < total:
        with pytest.raises(ValueError, match="starts at latent frame"):
            aligned(start, total, align)
        return
    moved, plain = aligned(start, total, align), start % total
    assert 0 <= moved < total
    assert moved == plain if align is None else moved % 5 == 0 and abs(moved - plain) <= 4


@pytest.mark.parametrize("text", ["0,0,0,0,1,0,0", "a", "0,,1", "0,0,0,0,1,2", "0,0,0,0,0", "0,-1"])
def test_strategies_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot read mask strategy"):
        parse_strategy(text)


def test_a_reference_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="names reference 3, and there are 0"):
        apply_strategy(torch.zeros(1, 5, 1, 1), [], [Placement(reference=3)])


def test_resolutions() -> None:
    expected = table("resolution_tables")
    assert tables() == {name: value for name, value in expected.items() if name != "note"}
    for resolution, sizes in expected["tables_h_w"].items():
        for ratio, key in expected["aspect_ratio_keys"].items():
            if key in sizes:
                assert video_size(resolution, ratio) == tuple(sizes[key])
            else:
                with pytest.raises(ValueError, match=f"'{resolution}' has no aspect ratio"):
                    video_size(resolution, ratio)
    assert all(frame_count(name) == frames for name, frames in expected["num_frames"].items())


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"unknown aspect ratio \(height:width\) '7:5'; known: 3:8"):
        video_size("480p", "7:5")
    with pytest.raises(ValueError, match="unknown resolution '500p'; known: 4k"):
        video_size("500p", "1:1")
    with pytest.raises(ValueError, match="unknown length '3s'"):
        frame_count("3s")
    with pytest.raises(ValueError, match="must be whole"):
        frame_count(20.5)  # pyright: ignore[reportArgumentType]


@given(st.integers(-3, 16).filter(lambda frames: frames != 1))
def test_short_videos_are_refused(frames: int) -> None:
    with pytest.raises(ValueError, match=f"at least 17, got {frames}"):
        frame_count(frames)


def test_latent_sizes() -> None:
    for name, size in table("latent_sizes").items():
        frames, height, width = map(int, name.split("x"))
        assert latent_size(frames, height, width) == tuple(size)
