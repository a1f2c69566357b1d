"""Names of streams, and a placement that turns into the first of a run."""

import pytest
import torch

from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tracking.placement import CallPlacement, choose_unused_name, number_repeated_stream


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
    assert number_repeated_stream(name, called) == expected


@pytest.mark.parametrize(
    ("taken", "expected"), [((), "0"), (("0",), "1"), (("1",), "0"), (("0", "1", "2"), "3"), (("cond", "0#2"), "0")]
)
def test_unused_is_the_first_number_that_names_no_stream(taken, expected):
    assert choose_unused_name(taken) == expected


@pytest.mark.parametrize(
    ("open_point", "certain"),
    [
        ({}, True),
        ({"is_tentative": True}, False),
        ({"is_conditioning_moved": True}, False),
        ({"time": DeviceReading(torch.ones(1))}, False),
    ],
    ids=["nothing is open", "tentative", "the conditioning moved", "the time is asked"],
)
def test_certain_where_nothing_has_to_be_asked(open_point, certain):
    assert CallPlacement("step", "cond", **open_point).is_certain == certain


def test_a_step_that_begins_a_run_takes_its_fresh_name():
    begun = CallPlacement("step", "1", new_run_stream="0").as_new_run("the time went back")
    assert (begun.kind, begun.stream, begun.new_run_reason) == ("run", "0", "the time went back")
