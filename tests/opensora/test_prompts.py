"""Prompts and their segments against the reference."""

from __future__ import annotations

import pytest
from tests.opensora.common import table

from navicache_opensora.prompts import (
    PromptScores,
    append_scores,
    clean_caption,
    merge_segments,
    parse_prompt,
    prepare_prompt,
    select_segment,
    split_segments,
)


@pytest.mark.parametrize("case", table("text_cases"), ids=lambda case: case["with_score"][:30])
def test_prompts(case: dict) -> None:
    scored = append_scores(case["prompt"], PromptScores(case["aes"], case["flow"], case["camera_motion"]))
    assert scored == case["with_score"]
    assert clean_caption(scored) == case["cleaned"]


def test_a_prompt_that_looks_like_a_file_does_not_warn() -> None:
    assert clean_caption("sunset.html") == "sunset. html"


@pytest.mark.parametrize("case", table("prompt_segments_cases"))
def test_segments(case: dict) -> None:
    segments = split_segments(case["prompt"])
    assert list(segments.values()) == case["segments"]
    assert case["loop_idx"] in (list(segments), None)
    ready = prepare_prompt(case["prompt"], PromptScores())
    assert merge_segments(ready) == case["merged"]
    assert [select_segment(ready, loop) for loop in range(len(case["per_loop"]))] == case["per_loop"]


def test_a_segment_holds_until_the_next() -> None:
    segments = split_segments("|0| calm |2| storm")
    assert [select_segment(segments, loop) for loop in range(4)] == ["calm", "calm", "storm", "storm"]


def test_segments_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"in order and each once, got \[0, 2, 1\]"):
        split_segments("|0| a |2| b |1| c")


def test_a_json_tail_is_split_off() -> None:
    assert parse_prompt('a cat {"reference_path": "x.png", "mask_strategy": "0"}').reference_path == "x.png"
    with pytest.raises(ValueError, match="must be JSON"):
        parse_prompt("a cat {not json")
