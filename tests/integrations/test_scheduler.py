"""What schedulers tell, and when they tell nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from diffusers import DDIMScheduler, FlowMatchEulerDiscreteScheduler

from navicache.integrations.scheduler import count_run_steps, read_scheduler_position

NOTHING = (None, None, None)


def scheduler(index: int | None, begin: int | None = None, steps: int = 10) -> Any:
    times = torch.arange(steps)
    return SimpleNamespace(timesteps=times, num_inference_steps=steps, step_index=index, begin_index=begin)


@pytest.mark.parametrize(
    ("index", "begin", "told"),
    [
        (None, None, (None, 10)),
        (0, None, (0, 10)),
        (9, None, (9, 10)),
        (None, 4, (None, 6)),
        (4, 4, (0, 6)),
        (9, 4, (5, 6)),
    ],
)
def test_steps_are_counted_from_where_the_run_begins(index, begin, told) -> None:
    assert read_scheduler_position(scheduler(index, begin))[:2] == told


def test_the_timesteps_are_handed_on_as_they_are() -> None:
    own = scheduler(3)
    assert read_scheduler_position(own)[2] is own.timesteps


@pytest.mark.parametrize("silent", [None, SimpleNamespace(), scheduler(10), scheduler(11)])
def test_no_scheduler_and_one_that_is_done_tell_nothing(silent: Any) -> None:
    assert read_scheduler_position(silent) == NOTHING


def test_a_real_one_from_its_first_step_to_its_last() -> None:
    own = FlowMatchEulerDiscreteScheduler()
    assert read_scheduler_position(own) == NOTHING, "not set up"
    own.set_timesteps(3)
    x, seen = torch.zeros(1, 2), []
    for time in own.timesteps:
        seen.append(read_scheduler_position(own)[:2])
        x = own.step(x, time, x, return_dict=False)[0]
    assert seen == [(None, 3), (1, 3), (2, 3)]
    assert read_scheduler_position(own) == NOTHING


class Whole:
    """A pipeline that runs the whole schedule."""

    num_timesteps = 4

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler

    def __call__(self, prompt: str) -> None: ...


class Partial(Whole):
    """One that leaves out the first steps."""

    def __call__(self, prompt: str, strength: float) -> None: ...


@pytest.mark.parametrize(
    ("pipeline", "length"),
    [
        (None, 10),
        (Whole(DDIMScheduler()), 10),
        (Partial(DDIMScheduler()), 4),
        (Partial(FlowMatchEulerDiscreteScheduler()), 10),
    ],
    ids=["none", "whole", "DDIM does not know", "Euler does"],
)
def test_steps_that_are_left_out_are_told_by_the_pipeline_where_the_scheduler_does_not_know(pipeline, length) -> None:
    assert count_run_steps(pipeline, 10) == length
    assert count_run_steps(pipeline, None) is None


def test_a_pipeline_that_has_not_run_yet_is_not_believed() -> None:
    fresh = Partial(DDIMScheduler())
    fresh.num_timesteps = 0
    assert count_run_steps(fresh, 10) == 10
