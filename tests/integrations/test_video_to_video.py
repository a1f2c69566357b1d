"""Runs that begin in the middle of the schedule, in a pipeline that opens no cache context."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from diffusers import WanVideoToVideoPipeline
from tests.integrations.common import REUSING, counted
from tests.tiny import NEGATIVE, TINY
from tests.tiny.common import embed, ready
from tests.tiny.wan import _transformer, picture

import navicache


def build(scheduler: str) -> Any:
    parts = TINY["wan_i2v"].build(scheduler=scheduler)
    transformer = _transformer(0, torch.float32, in_channels=16, out_channels=16)
    components = {"vae": parts.vae, "scheduler": parts.scheduler, "transformer": transformer}
    return ready(WanVideoToVideoPipeline(tokenizer=None, text_encoder=None, **components))


def call(pipe: Any, strength: float) -> torch.Tensor:
    text = {"prompt_embeds": "a cat", "negative_prompt_embeds": NEGATIVE}
    return pipe(
        video=[picture(i) for i in range(5)],
        **{key: embed(pipe, [value], 12, 16) for key, value in text.items()},
        height=48,
        width=64,
        num_inference_steps=16,
        strength=strength,
        output_type="latent",
        generator=torch.Generator().manual_seed(0),
        return_dict=False,
    )[0]


@pytest.mark.parametrize("scheduler", ["unipc", "euler"])
def test_only_the_steps_that_are_taken_count(scheduler: str) -> None:
    exact = {strength: call(build(scheduler), strength) for strength in (0.75, 0.5)}
    pipe = build(scheduler)
    with navicache.enable(pipe, threshold=0.0, align_steps=2):
        assert torch.equal(call(pipe, 0.75), exact[0.75])
    cache = navicache.enable(pipe, **REUSING)
    with counted(pipe) as calls:
        results = [call(pipe, strength) for strength in (0.75, 0.5, 0.75)]
    assert torch.equal(results[0], results[2])
    assert not torch.equal(results[0], exact[0.75])
    assert not torch.equal(results[1], exact[0.5])
    assert [(run.total, run.length) for run in cache.trace.runs] == [(12, 12), (8, 8), (12, 12)]
    assert all(run.computed_steps()[:3] == (0, 1, 2) for run in cache.trace.runs)
    assert all(run.computed_steps()[-1] == run.length - 1 for run in cache.trace.runs)
    assert all(len(run.streams) == 2 for run in cache.trace.runs)
    assert len(calls) == sum(step.computed for run in cache.trace.runs for step in run.steps)
    cache.disable()
    assert torch.equal(call(pipe, 0.5), exact[0.5])
