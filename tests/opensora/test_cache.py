"""The cache at the whole model, on two runs."""

from __future__ import annotations

from typing import Any

import PIL.Image
import pytest
import torch
from tests.opensora.common import run, seeded, tiny_pipe

import navicache

KNOBS = {"threshold": 2.0, "align_steps": 4}
CALLS: dict[str, dict[str, Any]] = {
    "text": {},
    "image": {"references": [PIL.Image.new("RGB", (8, 8), "red")]},
    "one branch": {"guidance_scale": 1.0},
    "long": {"num_frames": 34, "num_loops": 2},
}


@pytest.mark.parametrize("name", CALLS)
def test_steps_are_reused_and_runs_do_not_mix(name: str) -> None:
    pipe, options = tiny_pipe(), {**CALLS[name], "num_inference_steps": 12}
    plain = run(pipe, **options)
    cache = navicache.enable(pipe, "navicache", **KNOBS)
    first, second = run(pipe, **options), run(pipe, **options)
    assert torch.equal(first, second) and not torch.equal(first, plain)
    runs, loops = cache.trace.runs, options.get("num_loops", 1)
    assert len(runs) == 2 * loops
    assert all(len(one.computed_steps()) < 12 and one.computed_steps()[-1] == 11 for one in runs)
    cache.disable()
    assert torch.equal(run(pipe, **options), plain)


def test_samples_of_a_batch_are_cached_each_for_itself() -> None:
    pipe, rows = tiny_pipe(), []
    pipe.transformer.x_embedder.register_forward_hook(lambda _m, args, _o: rows.append(len(args[0])))
    navicache.enable(pipe, "navicache", **KNOBS)
    prompts = ["a cat", "a red red red boat"]
    both = run(pipe, prompts, generator=[seeded(0), seeded(1)], num_inference_steps=16)
    assert set(rows) == {2, 4}
    for row, prompt in enumerate(prompts):
        alone = run(pipe, prompt, generator=seeded(row), num_inference_steps=16)
        assert (both[row : row + 1] - alone).abs().max() < 5e-3
