"""Loops in which every call begins a run of its own: nothing is reused, and that is said."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from benchmarks.survey.subjects import find_subject, list_pipelines
from torch import Tensor

import navicache

STEPS = 12
LOOPS = {
    "StableDiffusionPanoramaPipeline": "new timesteps.",
    "StableDiffusionSAGPipeline": "another shape, dtype or device (a step may call the model at two batch sizes).",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LOOPS)
def test_a_pipeline_that_saves_nothing_says_why(name: str, caplog: pytest.LogCaptureFixture) -> None:
    subject = find_subject(name, list_pipelines()[name])
    assert subject is not None
    pipe = subject.build()
    with caplog.at_level(logging.WARNING, "navicache"), navicache.enable(pipe, speedup=2.0) as cache:
        subject.run(pipe)
        subject.run(pipe)
    (said,) = [record.getMessage() for record in caplog.records if record.name == "navicache"]
    assert f"because of this: {LOOPS[name]}" in said and said.endswith("A run of one step reuses nothing")
    assert " ".join(said.split()) in " ".join(cache.summary().split())


def denoise(cached: Any, steps: int, width: int) -> None:
    for step in range(steps):
        cached(torch.ones(1, width) * (STEPS - step), float(STEPS - step))


def halve(x: Tensor, t: float) -> Tensor:
    return x / 2


@pytest.mark.parametrize(
    ("lengths", "said"),
    [([1, STEPS], False), ([1, 1, STEPS], True), ([STEPS, 1, 1], False), ([1, STEPS, 1, STEPS], False)],
)
def test_a_run_of_one_step_is_not_yet_a_loop(lengths: list[int], said: bool) -> None:
    cache = navicache.enable(halve, "static", interval=2, steps=STEPS)
    for number, length in enumerate(lengths):
        denoise(cache, length, 4 + number)
    assert [bool(run.notes) for run in cache.trace.runs] == [*[False] * (len(lengths) - 1), said]


def test_latent_after_latent_at_one_time_says_why() -> None:
    """As Attend-and-Excite, which refines the latent before its first step."""
    cache = navicache.enable(halve, "static", interval=2, steps=STEPS)
    for call in range(4):
        cache(torch.full((1, 4), 4.0 + call), 9.0)
    said = "because of this: the time went back (a step may call the model again with another latent). A run"
    assert said in cache.trace.runs[-1].notes[0]


@pytest.mark.parametrize(("steps", "ends"), [(1, False), (None, True)], ids=["of one step", "reset"])
def test_runs_of_one_step_that_nothing_cuts_short(steps: int | None, ends: bool) -> None:
    cache = navicache.enable(halve, "static", interval=2, steps=steps)
    for number in range(4):
        denoise(cache, 1, 4 + number)
        if ends:
            cache.reset()
    assert len(cache.trace.runs) == 4 and "run after run" not in cache.summary()
