"""Several visitors: one run at a time, each stopped by its own visitor alone."""

import threading
import time

import pytest
from tests.studio.toys import job_of
from tests.support.takes import take

from navicache.studio import controller as controller_module
from navicache.studio import run_queue as module
from navicache.studio.baselines import BaselineStore
from navicache.studio.controller import OUT_OF_MEMORY, RunRefused, StudioController, explain_error
from navicache.studio.models import StudioModels
from navicache.studio.monitor import RunStopped
from navicache.studio.page import show_refusals
from navicache.studio.run_queue import RunQueue

FIELDS = ("a red ball moves left", "pocket")
LIMIT = 20  # seconds that no test needs


@pytest.fixture
def hall(monkeypatch):
    """Runs whose work is to wait for a stop, or for the word that it is done; it also counts who is at work."""
    at_work, most, go = [], [], threading.Event()

    def work(job, pipeline, plain, monitor):
        at_work.append(job)
        most.append(len(at_work))
        try:
            monitor.update(doing="no cache", plain=plain or take())
            while not go.wait(0.01):
                monitor.raise_if_stopped()
            return plain
        finally:
            at_work.remove(job)

    monkeypatch.setattr(module, "run_request", work)
    runs = RunQueue()
    yield runs, most, go
    go.set()
    runs.close()


def over(run):
    return run.future.exception(timeout=LIMIT)


def test_a_visitor_stops_nobody_else(hall):
    runs, _, _ = hall
    first, second = runs.begin("a", job_of()), runs.begin("b", job_of())
    runs.stop("b")
    assert not first.future.done()
    runs.stop("nobody")
    runs.stop("a")
    assert isinstance(over(first), RunStopped) and isinstance(over(second), RunStopped)


def test_one_at_a_time(hall):
    runs, most, go = hall
    begun = [runs.begin(visitor, job_of()) for visitor in "abcd"]
    go.set()
    assert [over(run) for run in begun] == [None] * 4 and max(most) == 1 and len(most) == 4


def test_a_visitor_who_runs_again_stops_the_run_before(hall):
    runs, _, go = hall
    first = runs.begin("a", job_of())
    second = runs.begin("a", job_of())
    assert isinstance(over(first), RunStopped)
    runs.end("a", first)
    assert not second.stop.is_set(), "the end of the first is not that of the second"
    go.set()
    assert over(second) is None


def test_closing_stops_all(hall):
    runs, _, _ = hall
    begun = [runs.begin(visitor, job_of()) for visitor in "ab"]
    start = time.monotonic()
    runs.close()
    assert all(run.future.done() for run in begun) and time.monotonic() - start < LIMIT


def test_a_page_that_is_closed_stops_its_run(hall):
    runs, _, _ = hall
    answer = StudioController(StudioModels(), runs).run("a", BaselineStore(), *FIELDS)
    assert "no cache" in next(answer).live
    (begun,) = runs._running.values()
    answer.close()
    assert begun.stop.is_set() and runs._running == {}


def test_the_plain_run_is_kept_although_the_cached_one_was_stopped(hall):
    runs, _, _ = hall
    controller = StudioController(StudioModels(), runs)
    answer = controller.run("a", BaselineStore(), *FIELDS)
    next(answer)
    (begun,) = runs._running.values()
    controller.stop("a")
    assert begun.future.done(), "told once it is so"
    *_, last = answer
    assert "Stopped" in last.live and last.result is None and len(last.kept.takes) == 1


def test_refused_before_anything_runs(hall):
    runs, most, _ = hall
    answer = StudioController(StudioModels(), runs).run("a", BaselineStore(), *FIELDS, "speed-up", 0.1)
    assert "speedup must be" in next(answer).live, "the reason stays on the page"
    with pytest.raises(RunRefused, match="speedup must be"):
        next(answer)
    assert most == [] and runs._running == {}


def test_a_failure_is_told_in_words(hall, monkeypatch, caplog):
    runs, _, go = hall
    go.set()
    monkeypatch.setattr(controller_module, "result_html", lambda *_: (_ for _ in ()).throw(KeyError("odd")))
    monkeypatch.setattr(controller_module, "done_html", lambda made: "")
    answer = StudioController(StudioModels(), runs).run("a", BaselineStore(), *FIELDS)
    with pytest.raises(RunRefused, match="odd"):
        list(answer)
    assert "a run of the studio failed" in caplog.text


def test_reasons():
    import torch

    for error in (torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("can't allocate memory"), MemoryError()):
        assert explain_error(error) == OUT_OF_MEMORY
    assert explain_error(ValueError("--frames must be 4k+1")) == "frames must be 4k+1"


def test_a_refusal_is_a_text_and_no_trace_in_the_log():
    class Told(Exception):
        def __init__(self, message, print_exception=True):
            super().__init__(message, print_exception)

    with pytest.raises(Told) as caught, show_refusals(Told):
        raise RunRefused("no folder <b>'x'</b>")
    assert caught.value.args == ("no folder &lt;b&gt;'x'&lt;/b&gt;", False)
    with pytest.raises(KeyError), show_refusals(Told):
        raise KeyError("not a refusal")


def test_the_usual_values_of_a_model():
    controller = StudioController(StudioModels(), RunQueue())
    assert controller.first_values("pocket:hunyuan")[:-1] == [50, 6.0, 9, 64, 64]
    assert controller.first_values("pocket:unet")[2] is None
    assert controller.first_values("owner/name")[:-1] == [None] * 5
    for name, said in (
        ("pocket:nobody", "no model"),
        ("./nowhere", "no folder ./nowhere"),
        (None, "no model is named"),
    ):
        with pytest.raises(RunRefused, match=said):
            controller.first_values(name)
