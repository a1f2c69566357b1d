"""The position from call to call: numbers, the end, a scheduler that is not believed, and what is forgotten."""

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.engine.toys.calls import (
    COND,
    LATENTS,
    TIMESTEPS,
    UNCOND,
    after,
    called,
    closed,
    context,
    forgotten,
    found,
    named,
    numbered,
    played,
    silent,
)

from navicache.engine.tracking.placement import CallFacts
from navicache.engine.tracking.run_tracker import RunTracker


@limits(deadline=None)
@given(start=st.integers(0, 50), strides=st.lists(st.integers(1, 5), max_size=12), streams=st.integers(1, 3))
def test_the_index_is_what_was_told_and_the_own_index_counts_from_0(start, strides, streams):
    at, index = RunTracker(), start
    for local_index, stride in enumerate([0, *strides]):
        index += stride
        for stream in range(streams):
            at = after(at, called(LATENTS[local_index % 9], COND), context(f"branch {stream}", index))
            assert (at.index, at.local_index) == (index, local_index)
        assert at.called_streams == [f"branch {stream}" for stream in range(streams)]


def test_two_experts_one_that_joins_in_mid_run_keeps_the_numbers_of_the_schedule():
    at = after(RunTracker(), called(), named("cond", 6))
    assert (at.index, at.local_index, at.total) == (6, 0, 9)
    at = after(at, called(LATENTS[1], COND), named("cond", 7))
    assert (at.index, at.local_index) == (7, 1)


def test_a_number_that_is_told_late_counts_from_the_runs_first_step():
    """The first step had none, the second is the schedule's sixth: video to video, which begins at the fifth."""
    at = after(RunTracker(), called(time=9.0), CallFacts("cond", run_token=TIMESTEPS))
    at = after(at, called(LATENTS[1], COND, 8.0), named("cond", 6))
    assert (at.index, at.local_index, at.total) == (1, 1, 9 - 5)


def test_without_a_number_steps_are_counted():
    assert [played(silent, steps=n).index for n in (1, 2, 4)] == [0, 1, 3]
    assert played(silent, steps=4).total is None


def test_that_the_first_number_was_wrong_is_told_once():
    at, wrong = RunTracker(), []
    for i in range(3):
        call, host = called(LATENTS[i], COND, 9.0 - i), at.drop_stale_fields(numbered("", 7))
        wrong.append(at.move_to(found(at, call, host), call, host, ignores_latent=False))
    assert wrong == [False, True, False]


def test_a_scheduler_that_stands_still_while_a_step_goes_by_is_no_longer_believed():
    at = RunTracker()
    for i in range(3):
        at = after(at, called(LATENTS[i], COND, 9.0 - i), numbered("", 7))
        assert at.is_scheduler_stale == (i > 0)
    assert (at.index, at.local_index, at.total) == (2, 2, None)
    assert at.drop_stale_fields(numbered("", 7)) == CallFacts()
    assert at.drop_stale_fields(numbered("", 7)._replace(is_flow=False)) == CallFacts()
    assert forgotten(at, "reset").drop_stale_fields(numbered("", 7)) == numbered("", 7), "only in that run"
    assert found(at, called(LATENTS[3], UNCOND, 6.0), numbered("", 7)).new_run_reason == "the conditioning changed"
    assert found(at, called(LATENTS[2], COND, 7.0), numbered("", 7))[:2] == ("follow", "0#2"), "same latent, same time"


THE_END = [
    pytest.param(named, 8, 2, True, id="the last step has had all the calls the step before had"),
    pytest.param(named, 8, 1, False, id="one more is expected"),
    pytest.param(named, 7, 2, False, id="one more step is expected"),
    pytest.param(silent, 8, 2, False, id="nobody knows how many steps there are"),
]


@pytest.mark.parametrize(("hosts", "index", "calls", "over"), THE_END)
def test_the_end(hosts, index, calls, over):
    at = played(hosts, steps=index)
    for name, text in [("cond", COND), ("uncond", UNCOND)][:calls]:
        at = after(at, called(LATENTS[index], text, 9.0 - index), hosts(name, index))
    assert at.has_all_calls == over


@pytest.mark.parametrize("hosts", [numbered, context, silent])
def test_after_the_end_the_next_step_begins_a_run(hosts):
    at = closed(played(hosts))
    placement = found(at, called(LATENTS[2], COND, 7.0), hosts("cond", 2))
    assert (placement.kind, placement.new_run_reason) == ("run", "the run before was over")


def test_after_the_end_one_more_stream_of_the_last_step_still_follows():
    at = closed(played(named))
    assert found(at, called(LATENTS[1], COND), named("third", 1))[:2] == ("follow", "third")
    assert (at.conditioning, at.latent) == ({}, ()), "no tensor is kept for it"


def test_after_the_end_one_more_stream_without_a_name_gets_one_that_is_free():
    at = closed(played(numbered))
    assert found(at, called(LATENTS[1], COND.clone()), numbered("", 1))[:2] == ("follow", "2")


def test_a_generation_goes_on_where_the_same_scheduler_goes_on_to_a_later_step():
    at = played(named)
    assert at.continues_generation(named("cond", 2))
    assert not at.continues_generation(named("cond", 1)), "the same step"
    assert not at.continues_generation(named("cond", 2, token=object())), "another run's timesteps"
    assert not at.continues_generation(CallFacts("cond")), "nobody knows"
    assert not forgotten(at, "reset").continues_generation(named("cond", 2)), "no run is open"


def test_forgotten_keeps_no_tensor_and_the_first_reason():
    at = forgotten(played(named), "pipeline reset")
    assert (at.new_run_reason, at.run_token, at.latent, dict(at.conditioning)) == ("pipeline reset", None, (), {})
    assert forgotten(at, "detached").new_run_reason == "pipeline reset"


def test_a_run_that_is_left_alone_keeps_no_latent():
    at = after(RunTracker(), called(), named("cond", 0), relaxed=True)
    assert (at.latent, at.ignores_latent) == ((), True)
    assert dict(at.conditioning) == {"cond": (COND,)}, "it tells the streams apart"


def test_the_direction_of_the_time_is_that_of_the_first_two_steps():
    assert played(silent, steps=1).time_direction == 0
    assert played(silent, steps=3).time_direction == -1.0


def test_the_moment_says_where_the_step_stands():
    at = after(RunTracker(), called(), CallFacts("cond", 0, 9, 0.75, TIMESTEPS))
    known = (0, 0, 9, None, 0.75, None, False, None, False)
    assert at.position == known, "with a number at hand nobody asked for the time"
