"""The statement of `inertial` for other languages: the library made its vectors, and the page alone gives the same."""

import json

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.docs import stated_inertial, stated_schedule
from tools import spec_vectors

from navicache.policies.budget import build_schedule
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.schedule_forms import PLAIN, TEXT_FLOW

VECTORS = json.loads(spec_vectors.PATH.read_text(encoding="utf-8"))


def near(found):
    return pytest.approx(found, abs=2e-6)


def test_the_vectors_are_what_the_library_does_today():
    fresh = json.loads(spec_vectors.format_vectors(spec_vectors.build_vectors()))
    assert fresh["schedules"] == VECTORS["schedules"] and fresh["told_times"] == VECTORS["told_times"]
    for new, old in zip(fresh["runs"], VECTORS["runs"], strict=True):
        assert new["computed"] == old["computed"] and new["name"] == old["name"]
        for row, kept in zip(new["returned"], old["returned"], strict=True):
            assert [near(values) for values in kept] == row


@pytest.mark.parametrize("case", VECTORS["schedules"])
def test_the_page_gives_the_steps_of_a_speedup(case):
    assert stated_schedule.schedule(case["levels"], case["speedup"], case["text_flow"]) == case["computed"]


@pytest.mark.parametrize("case", VECTORS["told_times"], ids=lambda case: f"{case['times'][1]} {case['speedup']}")
def test_the_page_gives_the_steps_where_times_are_told(case):
    assert stated_schedule.schedule_by_times(case["times"], case["speedup"]) == case["computed"]


@pytest.mark.parametrize("case", VECTORS["runs"], ids=lambda case: case["name"])
def test_the_page_gives_every_run(case):
    found = stated_inertial.run(case)
    assert found["computed"] == case["computed"]
    for name in ("damping", "error_correlation"):
        known = [value is None for value in found[name]]
        assert known == [value is None for value in case[name]]
        assert [v for v in found[name] if v is not None] == near([v for v in case[name] if v is not None])
    for step, (mine, theirs) in enumerate(zip(found["returned"], case["returned"], strict=True)):
        assert [near(values) for values in theirs] == mine, step


@limits(max_examples=15, deadline=None)
@given(total=st.integers(3, 30), shift=st.floats(0.3, 20), speedup=st.floats(1.2, 6), text=st.booleans())
def test_a_price_finds_what_dynamic_programming_finds(total, shift, speedup, text):
    """The page leaves the way to the least cost open."""
    levels = build_shifted_levels(total, shift)
    budget, first, _ = stated_schedule.budget_of(total, speedup, text, levels[0])
    ours = sorted(build_schedule(levels, budget, first, TEXT_FLOW if text else PLAIN))
    theirs = stated_schedule.schedule(levels, speedup, text)
    assert len(ours) == len(theirs)
    assert ours == theirs
