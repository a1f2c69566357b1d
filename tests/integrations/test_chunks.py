"""Videos made chunk by chunk: each chunk is a run, what it stores for later chunks is stored, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import torch
from benchmarks.survey.measure import are_equal, list_tensors
from benchmarks.survey.subjects import find_subject, find_tested, list_pipelines
from torch import Tensor, nn

import navicache

STEPS, CHUNKS = 12, 4


class Causal(nn.Module):
    """Sees the chunks before its own by what they have stored, and stores its own at every call."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x: Tensor, t: Tensor, keys: list[Tensor], context: Tensor) -> Tensor:
        self.calls += 1
        keys[-1] = x.mean(1, keepdim=True)
        return torch.tanh(self.layer(x) + sum(keys[:-1], torch.zeros(1)) + t.reshape(1, 1, 1) / 1000)


@torch.no_grad()
def roll_out(model: nn.Module) -> tuple[list[Tensor], list[Tensor]]:
    """The chunks, and what each has stored when it is done: as in Self-Forcing, by one call at time 0."""
    generator, text = torch.Generator().manual_seed(0), torch.ones(1, 2)
    times = [*torch.linspace(1000, 60, STEPS).split(1), torch.zeros(1)]
    keys: list[Tensor] = []
    chunks: list[Tensor] = []
    for _ in range(CHUNKS):
        x = torch.randn((1, 6, 4), generator=generator)
        keys.append(torch.full((1, 1, 4), torch.nan))
        for now, then in pairwise(times):
            x = x + (then - now) / 1000 * model(x, now, keys, text)
        model(x, times[-1], keys, text)
        chunks.append(x)
    return chunks, keys


@pytest.mark.parametrize(
    "known", [{}, {"steps": STEPS}, {"steps": STEPS + 1}], ids=["unknown", "steps", "with the last"]
)
@pytest.mark.parametrize("policy", [{"speedup": 2.0}, {"policy": "static", "interval": 2}], ids=["default", "static"])
def test_every_chunk_stores_its_clean_keys(known: dict[str, Any], policy: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model = Causal()
    with navicache.enable(model, **policy, **known):
        chunks, keys = roll_out(model)
    for chunk, stored in zip(chunks, keys, strict=True):
        assert torch.equal(stored, chunk.mean(1, keepdim=True))
    if known or "interval" in policy:
        assert model.calls < 0.7 * CHUNKS * (STEPS + 1)


def test_chunks_begin_runs_of_their_own() -> None:
    model = Causal()
    with navicache.enable(model, speedup=2.0, steps=STEPS + 1) as cache:
        roll_out(model)
    assert [(run.length, run.computed_steps()[0]) for run in cache.trace.runs] == [(STEPS + 1, 0)] * CHUNKS


class PerFrame(nn.Module):
    """Takes a time for each frame."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor) -> Tensor:
        self.calls += 1
        return 0.1 * hidden_states + timestep[:, None, :, None] / 1000


@torch.no_grad()
def denoise_frames(model: nn.Module, delays: list[int]) -> None:
    """Frames that begin one after another; a delay of -1 is a frame that was given."""
    levels = torch.linspace(1000, 50, STEPS)
    x, text = torch.randn((1, 2, len(delays), 4), generator=torch.Generator().manual_seed(0)), torch.ones(1, 2)
    for step in range(STEPS + max(delays)):
        places = [min(max(step - delay, 0), STEPS - 1) for delay in delays]
        times = torch.stack([levels[place] * (delay >= 0) for place, delay in zip(places, delays, strict=True)])
        x = x - 0.05 * model(x, times[None], text)


def test_frames_at_different_noise_levels_are_all_computed_and_said_so() -> None:
    model = PerFrame()
    with navicache.enable(model, "static", interval=2) as cache:
        denoise_frames(model, delays=[0, 2, 4])
    (run, *_) = cache.trace.runs
    assert any("at different noise levels (diffusion forcing)" in note for note in run.notes)
    assert all(step.computed for step in run.steps[3:])


@pytest.mark.parametrize("delays", [[0, 0, 0], [-1, 0, 0, 0]], ids=["together", "one given"])
def test_frames_that_move_together_are_cached(delays: list[int]) -> None:
    model = PerFrame()
    with navicache.enable(model, "static", interval=2, steps=STEPS) as cache:
        denoise_frames(model, delays)
    (run,) = cache.trace.runs
    assert run.notes == ()
    assert model.calls == run.computed == STEPS // 2 + 1


CHUNKED = {  # class, what its call takes, and the runs of one generation
    "AnyFlowFARPipeline": ({}, 3),
    "HeliosPipeline": ({"num_frames": 33}, 4),
    "SkyReelsV2DiffusionForcingPipeline": ({"num_frames": 33, "base_num_frames": 17, "overlap_history": 5}, 3),
}


def build_subject(name: str, arguments: dict[str, Any]) -> Any:
    """The survey's tiny build of a class, its call with these arguments."""
    if (tested := find_tested(name)) is not None:
        return replace(tested, call=partial(tested.call, **arguments))
    subject = find_subject(name, list_pipelines()[name])
    assert subject is not None
    return replace(subject, recipe=replace(subject.recipe, call={**subject.recipe.call, **arguments}))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHUNKED)
def test_each_chunk_of_a_real_pipeline_is_a_run(name: str) -> None:
    arguments, runs = CHUNKED[name]
    subject = build_subject(name, arguments)
    pipe = subject.build()
    plain = list_tensors(subject.run(pipe))
    with navicache.enable(pipe, speedup=2.0) as cache:
        first = list_tensors(subject.run(pipe))
        assert [(run.length, run.computed) for run in cache.trace.runs] == [(STEPS, STEPS // 2)] * runs
        assert are_equal(first, list_tensors(subject.run(pipe)))
    assert are_equal(plain, list_tensors(subject.run(pipe)))
    assert not are_equal(plain, first)
