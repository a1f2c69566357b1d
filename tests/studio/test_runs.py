"""Several visitors: one run at a time, each stopped by its own visitor alone."""

import threading
import time

import pytest
from tests.studio.toys import job_of
from tests.support.takes import take

from navicache.studio import answers as answers_module
from navicache.studio import runs as module
from navicache.studio.answers import MEMORY, Answers, Refused, reason
from navicache.studio.kept import Kept
from navicache.studio.offer import Offer
from navicache.studio.page import refusals
from navicache.studio.runs import Runs
from navicache.studio.watch import Stopped

FIELDS = ("a red ball moves left", "pocket")
LIMIT = 20  # seconds that no test needs


@pytest.fixture
def hall(monkeypatch):
    """Runs whose work is to wait for a stop, or for the word that it is done; it also counts who is at work."""
    at_work, most, go = [], [], threading.Event()

    def work(job, shelf, plain, watch):
        at_work.append(job)
        most.append(len(at_work))
        try:
            watch.say(doing="no cache", plain=plain or take())
            while not go.wait(0.01):
                watch.check()
            return plain
        finally:
            at_work.remove(job)

    monkeypatch.setattr(module, "carry_out", work)
    runs = Runs()
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
    assert isinstance(over(first), Stopped) and isinstance(over(second), Stopped)


def test_one_at_a_time(hall):
    runs, most, go = hall
    begun = [runs.begin(visitor, job_of()) for visitor in "abcd"]
    go.set()
    assert [over(run) for run in begun] == [None] * 4 and max(most) == 1 and len(most) == 4


def test_a_visitor_who_runs_again_stops_the_run_before(hall):
    runs, _, go = hall
    first = runs.begin("a", job_of())
    second = runs.begin("a", job_of())
    assert isinstance(over(first), Stopped)
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
    answer = Answers(Offer(), runs).run("a", Kept(), *FIELDS)
    assert "no cache" in next(answer).live
    (begun,) = runs._going.values()
    answer.close()
    assert begun.stop.is_set() and runs._going == {}


def test_the_plain_run_is_kept_although_the_cached_one_was_stopped(hall):
    runs, _, _ = hall
    answers = Answers(Offer(), runs)
    answer = answers.run("a", Kept(), *FIELDS)
    next(answer)
    (begun,) = runs._going.values()
    answers.stop("a")
    assert begun.future.done(), "told once it is so"
    *_, last = answer
    assert "Stopped" in last.live and last.result is None and len(last.kept.takes) == 1


def test_refused_before_anything_runs(hall):
    runs, most, _ = hall
    with pytest.raises(Refused, match="speedup must be"):
        next(Answers(Offer(), runs).run("a", Kept(), *FIELDS, "speed-up", 0.1))
    assert most == [] and runs._going == {}


def test_a_failure_is_told_in_words(hall, monkeypatch, caplog):
    runs, _, go = hall
    go.set()
    monkeypatch.setattr(answers_module, "result", lambda *_: (_ for _ in ()).throw(KeyError("odd")))
    monkeypatch.setattr(answers_module, "over", lambda made: "")
    answer = Answers(Offer(), runs).run("a", Kept(), *FIELDS)
    with pytest.raises(Refused, match="odd"):
        list(answer)
    assert "a run of the studio failed" in caplog.text


def test_reasons():
    import torch

    assert reason(torch.OutOfMemoryError("long story")) == MEMORY
    assert reason(ValueError("--frames must be 4k+1")) == "frames must be 4k+1"


def test_a_refusal_is_a_text_and_no_trace_in_the_log():
    class Told(Exception):
        def __init__(self, message, print_exception=True):
            super().__init__(message, print_exception)

    with pytest.raises(Told) as caught, refusals(Told):
        raise Refused("no folder <b>'x'</b>")
    assert caught.value.args == ("no folder &lt;b&gt;'x'&lt;/b&gt;", False)
    with pytest.raises(KeyError), refusals(Told):
        raise KeyError("not a refusal")


def test_the_usual_values_of_a_model():
    answers = Answers(Offer(), Runs())
    assert answers.usual("pocket:hunyuan") == [50, 6.0, 9, 64, 64]
    assert answers.usual("pocket:unet")[2] is None and answers.usual("owner/name") == [None] * 5
    for name, said in (
        ("pocket:nobody", "no model"),
        ("./nowhere", "no folder ./nowhere"),
        (None, "no model is named"),
    ):
        with pytest.raises(Refused, match=said):
            answers.usual(name)
