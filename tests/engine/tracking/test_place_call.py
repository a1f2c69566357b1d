"""Calls that need no device to be placed, or no more than one fetch: rows of the table in docs/design.md, section 5.

Each case is named in the words of the page.
"""

import pytest
import torch
from tests.engine.toys.calls import (
    COND,
    LATENTS,
    NOBODY,
    UNCOND,
    after,
    called,
    context,
    forgotten,
    found,
    named,
    numbered,
    played,
    silent,
)

from navicache.engine.tracking import placement_rules
from navicache.engine.tracking.placement_rules import list_placement_readings, place_call
from navicache.engine.tracking.run_tracker import RunTracker

OTHER_TEXT, LONGER_TEXT = torch.full((1, 3), 5.0), torch.zeros(1, 7)
NEXT = called(LATENTS[2], COND, 7.0)
OTHER_FORMS = {
    "shape": called(torch.ones(1, 5)),
    "dtype": called(torch.ones(1, 4, dtype=torch.float64)),
    "device": called(torch.ones(1, 4, device="meta")),
    "return_dict": called(LATENTS[2], form=False),
}

NEW_RUNS = [
    pytest.param(RunTracker(), NEXT, NOBODY, "first call", id="no run is open: first call"),
    *(
        pytest.param(forgotten(played(named), why), NEXT, named("cond", 2), why, id=f"no run is open: {words}")
        for words, why in {
            "the pipeline has reset its hooks": "pipeline reset",
            "cache.reset()": "reset",
            "an error": "the run before was aborted",
        }.items()
    ),
    pytest.param(
        played(named),
        NEXT,
        named("cond", 2, token=object()),
        "new timesteps",
        id="the scheduler holds another timesteps tensor",
    ),
    pytest.param(
        played(named), NEXT, named("cond", 0), "the step index went back", id="step index lower than before: scheduler"
    ),
    pytest.param(
        played(context), NEXT, context("cond", 0), "the step index went back", id="step index lower: cache context"
    ),
    pytest.param(
        played(context, steps=1),
        NEXT,
        context("cond", 0),
        "step 0 again",
        id="step 0 again for the same stream without a scheduler",
    ),
]


@pytest.mark.parametrize(("at", "call", "host", "why"), NEW_RUNS)
def test_a_new_run_without_a_sync(at, call, host, why):
    placement = place_call(at, call, at.drop_stale_fields(host))
    assert (placement.kind, placement.new_run_reason) == ("run", why)


@pytest.mark.parametrize("call", [called(torch.ones(2, 4)), called(LATENTS[2], OTHER_TEXT)], ids=["shape", "values"])
def test_a_fresh_alignment_within_the_run_where_the_same_scheduler_has_moved_on(call):
    at = played(named)
    assert found(at, call, named("cond", 2)).kind == "run"
    assert at.continues_generation(named("cond", 2))
    assert not at.continues_generation(named("cond", 2, token=object())), "another scheduler: a run of its own"
    assert not played(context).continues_generation(context("cond", 2)), "no scheduler: a run of its own"


@pytest.mark.parametrize("hosts", [named, context, silent])
@pytest.mark.parametrize("what", OTHER_FORMS)
def test_shape_dtype_device_or_return_dict_differ_from_the_runs(what, hosts):
    at = played(hosts)
    placement = place_call(at, OTHER_FORMS[what], hosts("cond", 2))
    assert (placement.kind, placement.new_run_reason) == ("run", "another shape, dtype or device")


@pytest.mark.parametrize("wide", [False, True])
def test_a_follower_whose_latents_are_the_leaders_is_sure_unless_the_second_has_another_shape(wide, monkeypatch):
    """The rules of a new run, which compare more, are asked only where it is not."""
    lead = called(LATENTS[0], COND)._replace(other_latents=((LATENTS[1],),))
    at, asked = after(RunTracker(), lead, named("cond", 0)), []
    monkeypatch.setattr(placement_rules, "_find_new_run_reason", lambda *_: asked.append(1) or "another shape")
    second = torch.ones(1, 7) if wide else LATENTS[2]
    call = lead._replace(conditioning=(UNCOND,), other_latents=((second,),))
    assert place_call(at, call, named("uncond", 0)).kind == ("run" if wide else "follow")
    assert bool(asked) == wide


LEADS = [
    pytest.param(named, NEXT, "cond", False, id="step index has moved on"),
    pytest.param(context, called(LATENTS[2], UNCOND), "uncond", False, id="moved on, another stream comes first"),
    pytest.param(numbered, called(LATENTS[2], UNCOND), "1", False, id="moved on, known by its conditioning"),
    pytest.param(named, called(LATENTS[2], COND.clone()), "cond", True, id="the conditioning was made anew"),
    pytest.param(numbered, called(LATENTS[2], UNCOND.clone()), "1", True, id="made anew: its values tell the stream"),
]


@pytest.mark.parametrize(("hosts", "call", "stream", "asks"), LEADS)
def test_step_index_has_moved_on_and_this_call_leads(hosts, call, stream, asks):
    """One sync at most: what is asked crosses with what the gate reads."""
    at, host = played(hosts), hosts(stream, 2)
    assert bool(list_placement_readings(at, place_call(at, call, host))) == asks
    assert found(at, call, host)[:2] == ("step", stream)


@pytest.mark.parametrize("text", [OTHER_TEXT, LONGER_TEXT], ids=["other values", "another shape"])
@pytest.mark.parametrize("hosts", [named, numbered])
def test_step_index_has_moved_on_but_the_conditioning_has(text, hosts):
    placement = found(played(hosts), called(LATENTS[2], text), hosts("cond", 2))
    assert (placement.kind, placement.new_run_reason) == ("run", "the conditioning changed")


def test_a_conditioning_of_another_shape_needs_no_device_to_be_another():
    assert place_call(played(named), called(LATENTS[2], LONGER_TEXT), named("cond", 2)).kind == "run"


@pytest.mark.parametrize("x", [LATENTS[2], LATENTS[2].clone()], ids=["the very latent", "a copy"])
def test_step_index_is_the_same_and_follows_without_a_sync(x):
    at = after(played(named), NEXT, named("cond", 2))
    placement = place_call(at, called(x, UNCOND, 7.0), named("uncond", 2))
    assert placement[:2] == ("follow", "uncond")
    assert placement.is_certain


def test_step_index_is_the_same_and_the_conditioning_was_made_anew():
    """Without names its values have to tell the streams apart: one sync."""
    at, call = after(played(numbered), NEXT, numbered("", 2)), called(LATENTS[2], UNCOND.clone(), 7.0)
    assert len(list_placement_readings(at, place_call(at, call, numbered("", 2)))) == 1
    assert found(at, call, numbered("", 2))[:2] == ("follow", "1")


def test_step_0_again_with_a_scheduler_is_one_more_stream():
    """It holds the timesteps of this run: somebody calls a stream twice."""
    at = played(named, steps=1)
    assert found(at, called(), named("cond", 0))[:2] == ("follow", "cond#2")


def test_step_index_is_the_same_but_latent_and_conditioning_are_others():
    """The scheduler belongs to somebody else: what it says is not enough to follow."""
    placement = found(played(numbered), called(LATENTS[2], OTHER_TEXT, 7.0), numbered("", 1))
    assert (placement.kind, placement.new_run_reason) == ("run", "the conditioning changed")
