"""Steps are found where nobody tells them, or where what is told is wrong."""

import torch
from tests.engine.toys.engines import Doubler, engine_for, ramp
from tests.engine.toys.gates import told

import navicache
from navicache.policies import Static


def test_a_function_without_a_time_is_still_stepped():
    cache = navicache.enable(lambda x: -x, "static", interval=2, steps=10)
    for x in ramp(10):
        cache(x)
    (record,) = cache.trace.runs
    assert record.computed_steps() == (0, 2, 4, 6, 8, 9)


def test_a_scheduler_that_stands_still_is_not_believed():
    stale = {"index": 7, "name": None}
    cached = engine_for(Doubler(), Static(interval=2, last_step=False), surroundings=told(stale))
    for i, x in enumerate(ramp(8)):
        cached(x, 8.0 - i, torch.ones(1, 3))
    (record,) = cached.engine.trace.runs
    assert record.streams == ("0",)
    assert record.length == 8
    assert record.computed < 8
