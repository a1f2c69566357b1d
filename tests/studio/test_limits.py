"""No request takes the machine from the others: greatest values, long prompts, and long runs."""

import math

import pytest
from tests.studio.test_run_queue import FIELDS
from tests.studio.toys import job_of, listening, wish

from navicache.generation.job import ModelSource
from navicache.studio.baselines import BaselineStore
from navicache.studio.controller import RunRefused, StudioController
from navicache.studio.models import StudioModels, default_values
from navicache.studio.monitor import RunTooLong
from navicache.studio.run_queue import RunQueue

OPEN, LOCKED = StudioModels(), StudioModels(locked=True)
OWN = StudioModels(ModelSource("owner/name"), locked=True)


@pytest.mark.parametrize("models", [OPEN, LOCKED, OWN], ids=["open", "locked", "own model"])
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"steps": 10**6}, "steps must be a number from 1 to"),
        ({"frames": 10**6}, "frames must be a number from 1 to"),
        ({"height": 10**9}, "height must be a number from 8 to"),
        ({"width": 10**9}, "width must be a number from 8 to"),
        ({"frames": 1000, "height": 4000, "width": 4000}, "the limits of this studio|are the most here: fewer frames"),
        ({"prompt": "a red ball " * 200}, "the prompt has 2199 characters: 2000 are the most"),
        ({"negative_prompt": "blue" * 600}, "the negative prompt has 2400 characters: 2000 are the most"),
        ({"prompt": None}, "the prompt is empty"),
    ],
    ids=str,
)
def test_what_would_take_the_machine_is_refused(models, changed, said):
    with pytest.raises(ValueError, match=said):
        wish(model=models.default.model, **changed).to_job(models)


def test_a_locked_studio_is_tighter():
    assert wish(steps=1000, frames=81, height=720, width=1280).to_job(OPEN)
    assert wish(model="owner/name", steps=50, frames=81, height=720, width=1280).to_job(OWN)
    for changed in ({"steps": 101}, {"frames": 81}, {"height": 720}):
        with pytest.raises(ValueError, match="the limits of this studio"):
            wish(**changed).to_job(LOCKED)


def test_every_embedded_model_may_run_as_it_was_trained_in_a_locked_studio():
    for name in LOCKED.choices:
        steps, _, frames, height, width = default_values(ModelSource(name))
        assert wish(model=name, steps=steps, frames=frames, height=height, width=width).to_job(LOCKED)


def test_a_run_ends_when_its_time_is_over(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("navicache.studio.monitor.time.monotonic", lambda: now[0])
    monitor, _ = listening()
    monitor.minutes = 2
    now[0] = 1000.0  # its model was loaded until now
    monitor.raise_if_stopped()
    monitor.start_clock()
    now[0] = 1119.0
    monitor.raise_if_stopped()
    now[0] = 1121.0
    with pytest.raises(RunTooLong, match="stopped after 2 minutes, the limit of this studio"):
        monitor.raise_if_stopped()


def test_the_limit_reaches_the_run_and_the_visitor(monkeypatch):
    given = []

    def run_for_long(job, pipeline, plain, monitor):
        given.append(monitor.minutes)
        monitor.minutes = 0.0
        monitor.start_clock()
        while True:
            monitor.raise_if_stopped()

    monkeypatch.setattr("navicache.studio.run_queue.run_request", run_for_long)
    runs = RunQueue()
    for models in (OPEN, LOCKED, StudioModels(minutes=7)):
        with pytest.raises(RunRefused, match="stopped after 0 minutes"):
            list(StudioController(models, runs).run("a", BaselineStore(), *FIELDS))
    runs.close()
    assert given == [240, 15, 7]


def test_without_a_limit_no_time_is_too_long():
    assert listening()[0].minutes == math.inf and job_of().prompts == ("a red ball moves left",)
