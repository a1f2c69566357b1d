"""Mask strategies against the reference, and what they refuse."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.opensora.common import table

from navicache_opensora.masks import ReferencePlacement, align_start, apply_mask_strategy, parse_mask_strategy


@pytest.mark.parametrize("case", table("mask_strategy_cases")["cases"], ids=lambda case: case["strategy"] or "none")
def test_mask_strategies(case: dict) -> None:
    references = [
        (torch.arange(frames) + 1.0 + 100 * number).view(1, frames, 1, 1)
        for number, frames in enumerate(case["ref_latent_frames"])
    ]
    empty = torch.zeros(1, case["latent_frames"], 1, 1)
    placements = parse_mask_strategy(case["strategy"])
    latents, mask = apply_mask_strategy(empty, references, placements, case["loop"], case["align"])
    assert mask.tolist() == case["mask"]
    assert latents.flatten().tolist() == case["copied_from"]
    assert not empty.any()


@given(st.integers(-40, 40), st.integers(1, 40), st.sampled_from([None, 5]))
def test_starts_lie_within_and_on_groups(start: int, total: int, align: int | None) -> None:
    if not -total <= start < total:
        with pytest.raises(ValueError, match="starts at latent frame"):
            align_start(start, total, align)
        return
    moved, plain = align_start(start, total, align), start % total
    assert 0 <= moved < total
    assert moved == plain if align is None else moved % 5 == 0 and abs(moved - plain) <= 4


@pytest.mark.parametrize("text", ["0,0,0,0,1,0,0", "a", "0,,1", "0,0,0,0,1,2", "0,0,0,0,0", "0,-1"])
def test_strategies_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot read mask strategy"):
        parse_mask_strategy(text)


def test_a_reference_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="names reference 3, and there are 0"):
        apply_mask_strategy(torch.zeros(1, 5, 1, 1), [], [ReferencePlacement(reference=3)])
