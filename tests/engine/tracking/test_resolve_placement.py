"""Calls that nobody tells the place of: the rows without a step index of docs/design.md, section 5.

Each case is named in the words of the page.
"""

import pytest
import torch
from tests.engine.toys.calls import COND, LATENTS, NOBODY, UNCOND, after, called, found, named, numbered, played, silent

from navicache.engine.tracking.placement_rules import place_call
from navicache.engine.tracking.run_tracker import RunTracker

OTHER_TEXT, LONGER_TEXT = torch.full((1, 3), 5.0), torch.zeros(1, 7)
SAME, NEXT = LATENTS[1], LATENTS[2]


def test_the_stream_comes_where_it_came_in_the_step_before_and_follows():
    at = after(played(silent), called(NEXT, COND, 7.0))
    placement = place_call(at, called(NEXT, UNCOND, 7.0), NOBODY)
    assert placement[:2] == ("follow", "1")
    assert placement.is_certain


def test_the_same_with_a_copy_of_the_latent_costs_a_sync():
    """It may be another step's: only its values can tell."""
    at, call = after(played(silent), called(NEXT, COND, 7.0)), called(NEXT.clone(), UNCOND, 7.0)
    assert not place_call(at, call, NOBODY).is_certain
    assert found(at, call)[:2] == ("follow", "1")


ASKED = [
    pytest.param(SAME, COND, 8.0, "follow", "0#2", id="same latent bits and same time: follows"),
    pytest.param(SAME, OTHER_TEXT, 8.0, "follow", "2", id="the same, and unknown: follows"),
    pytest.param(NEXT, COND, 9.0, "the time went back", "0", id="time back at the run's first: new run"),
    pytest.param(NEXT, COND, 8.5, "the time went back", "0", id="time against its direction: new run"),
    pytest.param(NEXT, OTHER_TEXT, 7.0, "the conditioning changed", "0", id="conditioning like no stream's: new run"),
    pytest.param(NEXT, LONGER_TEXT, 7.0, "the conditioning changed", "0", id="conditioning of another shape: new run"),
    pytest.param(NEXT, COND, 7.0, "step", "0", id="else: new step, leads"),
    pytest.param(NEXT, COND, 8.0, "step", "0", id="another latent at the same time: new step"),
    pytest.param(SAME, COND, 7.0, "step", "0", id="the same latent at another time: new step"),
    pytest.param(NEXT, UNCOND, 7.0, "step", "1", id="breaks the pattern of the step before: new step"),
    pytest.param(NEXT, UNCOND.clone(), 7.0, "step", "1", id="conditioning made anew: its values"),
]


@pytest.mark.parametrize(("x", "text", "time", "what", "stream"), ASKED)
def test_the_stream_was_called_before_is_unknown_or_breaks_the_pattern(x, text, time, what, stream):
    at, call = played(silent), called(x, text, time)
    assert not place_call(at, call, NOBODY).is_certain, "one fetch"
    placement = found(at, call)
    assert (placement.new_run_reason or placement.kind, placement.stream) == (what, stream)


def test_the_first_step_again_is_a_new_run():
    """Same latent, time and conditioning before a second step: somebody begins once more from the same noise."""
    at = played(silent, steps=1)
    placement = found(at, called(LATENTS[0], COND, 9.0))
    assert (placement.kind, placement.new_run_reason) == ("run", "the first step again")


def test_another_latent_at_the_time_of_the_first_step_is_a_new_run():
    """Somebody begins once more, from other noise, before the run had a second step."""
    placement = found(played(silent, steps=1), called(LATENTS[1], COND, 9.0))
    assert (placement.kind, placement.new_run_reason) == ("run", "the time went back")


def test_a_second_stream_of_the_first_step_costs_a_sync():
    at = played(silent, steps=1, texts=(COND,))
    call = called(LATENTS[0], UNCOND, 9.0)
    assert not place_call(at, call, NOBODY).is_certain
    assert found(at, call)[:2] == ("follow", "1")


def test_a_scheduler_without_a_number_tells_that_the_first_step_goes_on():
    """Its timesteps are the run's, and the latent is the very one of the leading call: no sync."""
    host = numbered("", 0)._replace(index=None)
    at = after(RunTracker(), called(), host)
    placement = place_call(at, called(LATENTS[0], UNCOND), host)
    assert (placement.kind, placement.stream, placement.is_certain) == ("follow", "1", True)


@pytest.mark.parametrize("is_numbered", [True, False])
def test_a_branch_with_a_latent_of_its_own_follows_while_the_scheduler_stands_still(is_numbered):
    """Cosmos gives each guidance branch other conditioned frames in its latent."""
    at = RunTracker()
    for i, time in enumerate((9.0, 8.0, 7.0)):
        host = numbered("", i)._replace(index=i if is_numbered else None)
        for latent, text, expected in ((LATENTS[i], COND, "0"), (LATENTS[i] + 0.5, UNCOND, "1")):
            placement = found(at, called(latent, text, time), host)
            kind = "follow" if expected == "1" else "step" if i else "run"
            assert placement[:2] == (kind, expected), f"step {i}"
            at = after(at, called(latent, text, time), host)


def test_a_name_and_a_scheduler_without_a_number_tell_so_too():
    host = named("cond", 0)._replace(index=None)
    placement = place_call(
        after(RunTracker(), called(), host), called(LATENTS[0], UNCOND), host._replace(stream="uncond")
    )
    assert (placement.kind, placement.stream, placement.is_certain) == ("follow", "uncond", True)


WHICH_STREAM = [
    pytest.param(named, COND, "uncond", id="name of the cache context"),
    pytest.param(numbered, UNCOND, "1", id="the memory of the conditioning tensors"),
    pytest.param(numbered, UNCOND.clone(), "1", id="their values"),
    pytest.param(silent, UNCOND.clone(), "1", id="their values, in the fetch"),
]


@pytest.mark.parametrize(("hosts", "text", "stream"), WHICH_STREAM)
def test_which_stream(hosts, text, stream):
    texts = (COND, COND) if hosts is named else (COND, UNCOND)
    at = after(played(hosts, texts=texts), called(NEXT, COND, 7.0), hosts("cond", 2))
    assert found(at, called(NEXT, text, 7.0), hosts("uncond", 2))[:2] == ("follow", stream)


def test_which_stream_by_the_order_of_the_call_within_the_step():
    """Nothing else tells two calls with equal conditioning, made anew each time, apart."""
    at = RunTracker()
    for i in range(3):
        for stream in ("0", "1"):
            call = called(LATENTS[i], COND.clone())
            assert found(at, call, numbered("", i)).stream == stream, f"step {i}"
            at = after(at, call, numbered("", i))


def test_a_late_stream_follows_and_gets_a_name_of_its_own():
    at = played(numbered, texts=(COND,))
    at = after(at, called(NEXT, COND), numbered("", 2))
    assert found(at, called(NEXT, UNCOND), numbered("", 2))[:2] == ("follow", "1")
    at = played(silent, texts=(COND,))
    at = after(at, called(NEXT, COND, 7.0))
    assert found(at, called(NEXT, UNCOND, 7.0))[:2] == ("follow", "1")
