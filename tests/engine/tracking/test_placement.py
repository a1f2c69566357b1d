"""Names of streams, and a placement that turns into the first of a run."""

import pytest
import torch

from navicache.engine.tensors.fetch import Reading
from navicache.engine.tracking.placement import Placement, another, unused


@pytest.mark.parametrize(
    ("name", "called", "expected"),
    [
        ("cond", (), "cond"),
        ("cond", ("uncond",), "cond"),
        ("cond", ("cond",), "cond#2"),
        ("cond", ("cond", "uncond", "cond#2"), "cond#3"),
        ("cond#2", ("cond", "cond#2"), "cond#3"),
        ("cond", ("cond#2",), "cond"),
    ],
)
def test_another_call_of_a_stream_in_one_step_has_the_next_name_of_its_kind(name, called, expected):
    assert another(name, called) == expected


@pytest.mark.parametrize(
    ("taken", "expected"), [((), "0"), (("0",), "1"), (("1",), "0"), (("0", "1", "2"), "3"), (("cond", "0#2"), "0")]
)
def test_unused_is_the_first_number_that_names_no_stream(taken, expected):
    assert unused(taken) == expected


@pytest.mark.parametrize(
    ("open_point", "certain"),
    [({}, True), ({"tentative": True}, False), ({"moved": True}, False), ({"time": Reading(torch.ones(1))}, False)],
    ids=["nothing is open", "tentative", "the conditioning moved", "the time is asked"],
)
def test_certain_where_nothing_has_to_be_asked(open_point, certain):
    assert Placement("step", "cond", **open_point).certain == certain


def test_a_step_that_begins_a_run_takes_its_fresh_name():
    begun = Placement("step", "1", fresh="0").begins("the time went back")
    assert (begun.kind, begun.stream, begun.why) == ("run", "0", "the time went back")
