"""The monitor on a call: squares from counts, seconds without pictures."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.studio.toys import listening
from tests.support.takes import take

from navicache.studio import monitor as module
from navicache.studio.monitor import HOOK, RunProgress, RunStopped
from navicache.studio.preview import decode_preview

PIPE = SimpleNamespace(scheduler=SimpleNamespace(timesteps=range(12)), components={})


class Called:
    """A pipeline that has the callback."""

    def __call__(self, prompt, callback_on_step_end=None):
        """Nothing."""


class Deaf:
    """One that has not."""

    def __call__(self, prompt):
        """Nothing."""


def step(listener, count=1):
    for _ in range(count):
        assert listener(PIPE, 0, None, {"latents": None}) == {}, "it changes nothing"


def test_squares_follow_the_counts():
    monitor, news = listening()
    counts = iter([(1, 0), (2, 0), (2, 1), (2, 2), (3, 2)])
    step(monitor.callback_arguments(Called(), lambda: next(counts))[HOOK], 5)
    assert news[-1].squares == (True, True, False, False, True) and news[-1].total == 12


def test_without_a_cache_every_step_is_computed():
    monitor, news = listening()
    step(monitor.callback_arguments(Called())[HOOK], 3)
    assert news[-1].squares == (True, True, True)


def test_a_pipeline_without_a_callback_is_left_alone():
    assert listening()[0].callback_arguments(Deaf()) == {}


def test_a_stop_is_heard_at_the_end_of_a_step():
    monitor, news = listening()
    monitor.stop.set()
    with pytest.raises(RunStopped):
        step(monitor.callback_arguments(Called())[HOOK])
    assert news == []


def test_pictures_come_now_and_then_and_cost_no_seconds(monkeypatch):
    monitor, news = listening()
    clock = iter(range(0, 1000, 5))
    monkeypatch.setattr(module, "decode_preview", lambda pipe, latents: np.ones((2, 2, 3)))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    step(monitor.callback_arguments(Called())[HOOK], 12)
    assert monitor.preview_seconds == 5 * 5, "steps 2, 4, ... 10 of 12; the last is seen in full"
    settled = monitor.subtract_previews(take(call=100.0, loop=90.0))
    assert (settled.call_seconds, settled.loop_seconds) == (75.0, 65.0)
    assert monitor.subtract_previews(take(call=100.0, loop=None)).loop_seconds is None
    monitor.begin("again")
    assert monitor.preview_seconds == 0.0 and news[-1].squares == () and news[-1].picture is not None


def test_a_vae_that_nobody_knows_has_no_picture():
    assert decode_preview(PIPE, None) is None


def test_the_time_left_follows_the_steps_so_far():
    assert RunProgress(squares=(True,) * 5, total=20, seconds=10.0).seconds_left == 30.0
    assert [RunProgress(squares=(True,) * done, total=4).seconds_left for done in (0, 4)] == [None, None]


def test_the_clock_begins_with_each_call(monkeypatch):
    monitor, news = listening()
    clock = iter([100.0, 103.0, 200.0, 201.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monitor.begin("no cache")
    assert news[-1].seconds == 3.0
    monitor.begin("with the cache")
    assert news[-1].seconds == 1.0
