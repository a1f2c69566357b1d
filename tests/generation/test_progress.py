"""The bar tells computed from reused, costs no sync, and goes when the run is over."""

from types import SimpleNamespace

import pytest
import torch
from tests.tiny import TINY

import navicache
from navicache.engine import ModelEngine
from navicache.generation.progress import StepBar, time_loop


class Time:
    """Seconds that pass only when somebody waits."""

    now = 0.0

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def time(monkeypatch):
    time = Time()
    monkeypatch.setattr("navicache.generation.progress.time", SimpleNamespace(perf_counter=lambda: time.now))
    return time


class Pipe:
    """Opens a bar around its loop, as pipelines do, in either of their ways; a step takes a second."""

    def __init__(self, time=None):
        self.time = time or Time()

    def progress_bar(self, iterable=None, total=None):
        raise AssertionError("the pipeline's own bar")

    def steps(self, count):
        with self.progress_bar(total=count) as bar:
            for _ in range(count):
                self.time.wait(1)
                bar.update()

    def walk(self, timesteps):
        for _ in self.progress_bar(timesteps, desc="its own"):
            self.time.wait(1)


@pytest.mark.parametrize("run", [lambda pipe: pipe.steps(5), lambda pipe: pipe.walk(range(5))])
def test_the_loop_is_timed_and_shown(run, capsys, time):
    pipe = Pipe(time)
    with time_loop(pipe, "cached", lambda: (3, 2)) as clock:
        time.wait(20)  # the text encoder is none of its business
        run(pipe)
        time.wait(20)
    assert clock.seconds == 5
    assert "cached |████████████████████████| 5/5 computed 3 reused 2 [" in capsys.readouterr().err
    with pytest.raises(AssertionError, match="own bar"):
        pipe.steps(1)


def test_two_loops_are_added_and_none_is_none(time):
    pipe = Pipe(time)
    with time_loop(pipe, "cached") as clock:
        assert clock.seconds is None
        pipe.steps(2)
        time.wait(20)
        pipe.steps(3)
    assert clock.seconds == 5


def test_the_bar_goes_after_an_error():
    pipe = Pipe()
    with pytest.raises(KeyboardInterrupt), time_loop(pipe, "cached"):
        raise KeyboardInterrupt
    assert "progress_bar" not in vars(pipe)


def test_progress_of_a_cache_fetches_nothing(monkeypatch):
    cache = navicache.enable(lambda x, t: -x, "static", interval=2, steps=6)
    seen = []

    def fail(_):
        raise AssertionError("a sync")

    for step in range(5):
        cache(torch.ones(1, 4) * (6 - step), float(6 - step))
        with monkeypatch.context() as patched:
            patched.setattr(ModelEngine, "_fetch_pending_readings", fail)
            patched.setattr("navicache.engine.sites.cache_engine.fetch_readings", fail)
            seen.append(cache.progress)
    assert seen == [(1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]


def test_it_asks_only_when_it_draws(capsys):
    asked = []

    def counts():
        asked.append(1)
        return 0, 0

    pipe = Pipe()
    with time_loop(pipe, "cached", counts):
        bar = pipe.progress_bar(total=1000)
        assert isinstance(bar, StepBar)
        for _ in range(1000):
            bar.update()
        bar.close()
    assert len(asked) < 100


def test_two_experts_are_counted_together(capsys):
    pipe = TINY["wan22"].build()
    with navicache.enable(pipe, "static", interval=2) as cache:
        with time_loop(pipe, "cached", lambda: cache.progress):
            TINY["wan22"].call(pipe, steps=12)
        computed = sum(run.computed for run in cache.trace.runs)
    assert len(cache.trace.runs) == 2
    assert 0 < computed < 12
    assert f"12/12 computed {computed} reused {12 - computed} [" in capsys.readouterr().err


def test_without_a_terminal_a_bar_is_a_line_every_few_seconds(capsys, time, monkeypatch):
    monkeypatch.setattr("tqdm.std.time", lambda: time.now)  # the bar's own clock
    pipe = Pipe(time)
    with time_loop(pipe, "cached"):
        pipe.steps(12)  # a second each
    drawn = capsys.readouterr().err
    assert "\r" not in drawn
    counts = [int(line.partition("/")[0].split()[-1]) for line in drawn.splitlines() if "/12" in line]
    assert counts == [0, 5, 10, 12], "and not every second"
