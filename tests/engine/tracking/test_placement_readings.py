"""How often a call waits for the device: the second table of docs/design.md, section 5, for a gate that reads nothing.

A gate that reads makes the one sync of a step by itself; what is asked of a leading call crosses with it.
"""

from dataclasses import replace

import pytest
from tests.engine.toys.calls import COND, LATENTS, UNCOND, after, called, named, numbered, played, silent

from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tracking.placement import CallPlacement
from navicache.engine.tracking.placement_rules import list_placement_readings, place_call
from navicache.engine.tracking.run_tracker import RunTracker


def asked(hosts, anew: bool, steps: int = 3) -> list[tuple[bool, ...]]:
    """For every step, whether its two calls have to ask the device."""
    at, waits = RunTracker(), []
    for i in range(steps):
        step: tuple[bool, ...] = ()
        for name, text in (("cond", COND), ("uncond", UNCOND)):
            call = called(LATENTS[i], text.clone() if anew else text, 9.0 - i)
            placement = place_call(at, call, hosts(name, i))
            step += (
                placement.kind != "run" and bool(list_placement_readings(at, placement) or placement.is_tentative),
            )
            at = after(at, call, hosts(name, i))
        waits.append(step)
    return waits


@pytest.mark.parametrize(
    ("hosts", "anew", "first", "later"),
    [
        pytest.param(named, False, (False, False), (False, False), id="diffusers pipeline (context)"),
        pytest.param(numbered, False, (False, False), (False, False), id="diffusers pipeline (scheduler)"),
        pytest.param(silent, False, (False, True), (True, False), id="plain function, same conditioning tensors"),
        pytest.param(silent, True, (False, True), (True, True), id="plain function, conditioning made anew"),
    ],
)
def test_syncs_of_the_leading_and_of_the_following_call(hosts, anew, first, later):
    assert asked(hosts, anew) == [first, later, later]


def test_all_that_is_asked_are_times_and_conditionings():
    """The time now, the run's first and the one before; one flag for each stream of the same shape."""
    at = played(silent)
    placement = place_call(at, called(LATENTS[2], COND.clone(), 7.0), silent("", 2))
    questions = list_placement_readings(at, placement)
    assert questions[:3] == [placement.time, at.first_time, at.time]
    assert len(questions) == 3 + 2
    assert [*placement.conditioning_matches] == ["0", "1"]


def test_a_call_without_a_time_asks_for_none():
    at = replace(played(named), first_time=DeviceReading(COND), time=DeviceReading(COND))
    assert list_placement_readings(at, CallPlacement("step", "0")) == []
