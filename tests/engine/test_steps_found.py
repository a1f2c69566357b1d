"""Steps are found where nobody tells them, or where what is told is wrong."""

import pytest
import torch
from tests.engine.toys.engines import Doubler, engine_for, ramp
from tests.engine.toys.gates import told

import navicache
from navicache.engine import CallFacts
from navicache.policies import Static


def test_a_function_without_a_time_is_still_stepped():
    cache = navicache.enable(lambda x: -x, "static", interval=2, steps=10)
    for x in ramp(10):
        cache(x)
    (record,) = cache.trace.runs
    assert record.computed_steps() == (0, 2, 4, 6, 8, 9)


def test_a_scheduler_that_stands_still_is_not_believed():
    stale = {"index": 7, "name": None}
    cached = engine_for(Doubler(), Static(interval=2, last_step=False), describe_call=told(stale))
    for i, x in enumerate(ramp(8)):
        cached(x, 8.0 - i, torch.ones(1, 3))
    (record,) = cached.engine.trace.runs
    assert record.streams == ("0",)
    assert record.length == 8
    assert record.computed < 8


@pytest.mark.parametrize("frozen", [0.0, torch.zeros(2)], ids=["number", "of rows"])
@pytest.mark.parametrize("first", [True, False], ids=["frozen first", "frozen last"])
def test_one_of_two_latents_is_frozen(frozen: object, first: bool):
    """A list has the time of each; the frozen one stands still, and the other tells where a new run begins."""
    cached = engine_for(Doubler(), Static(interval=2, last_step=False))
    for _ in range(2):
        for i, x in enumerate(ramp(8)):
            times = [frozen, torch.tensor([8.0 - i])]
            cached(x, times if first else times[::-1], torch.ones(1, 3))
    assert [record.computed_steps() for record in cached.engine.trace.runs] == [(0, 2, 4, 6)] * 2


THIS, OTHER = object(), object()  # timesteps that a scheduler holds
COND, UNCOND = torch.zeros(1, 3), torch.ones(1, 3)


@pytest.mark.parametrize(
    ("hosts", "texts", "numbers"),
    [
        (
            [CallFacts(None, 7, run_token=THIS)] * 4 + [CallFacts(None, 7, run_token=OTHER)] * 4,
            [COND] * 8,
            [[0, 1, 2, 3]] * 2,
        ),
        ([CallFacts(None, 7, run_token=THIS)] * 8, [COND] * 4 + [UNCOND] * 4, [[0, 1, 2, 3]] * 2),
        ([CallFacts(None, index, run_token=THIS) for index in (5, 6, 7, 7)], [COND] * 4, [[5, 6, 7, 8]]),
    ],
    ids=["a second video", "a second prompt", "after it has moved"],
)
def test_a_scheduler_that_stands_still(hosts, texts, numbers):
    """The time tells a second video; numbers from before it stood still are right, and are counted on."""
    now = iter(hosts)
    cached = engine_for(Doubler(), Static(interval=4, last_step=False), describe_call=lambda: next(now))
    for i, text in enumerate(texts):
        cached(torch.full((1, 4), 9.0 - i), 8.0 - i % 4, text)
    assert [[step.index for step in run.steps] for run in cached.engine.trace.runs] == numbers
