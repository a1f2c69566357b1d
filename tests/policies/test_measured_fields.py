"""Measured fields are listed once, where they stand; whatever of them is not finite is found."""

import math
from typing import get_args, get_type_hints

import pytest
from tests.policies.doubles import Told

from navicache.policies import Decision, Outcome, Step, find_nonfinite_fields
from navicache.policies.guards import FiniteGuard
from navicache.policies.measured_fields import MEASURED_FIELDS, has_finite_measurements

TOLD = {"time", "sigma", "noise_levels"}  # numbers that nobody measured: the scheduler tells them
BAD = (math.nan, math.inf, -math.inf)
PAIRS = [(kind, name) for kind, names in MEASURED_FIELDS.items() for name in names]


def holds_floats(hint: object) -> bool:
    return hint is float or any(holds_floats(part) for part in get_args(hint))


@pytest.mark.parametrize("kind", [Step, Outcome])
def test_every_number_that_may_be_unknown_is_marked_as_measured(kind):
    """A new one without the mark would reach the gates unguarded."""
    floats = {name for name, hint in get_type_hints(kind).items() if holds_floats(hint)}
    assert floats - TOLD == set(MEASURED_FIELDS[kind])
    assert all(kind._field_defaults[name] is None for name in MEASURED_FIELDS[kind])


def broken(kind: type, name: str, bad: float):
    """The field with one bad number in it, of whatever form it is."""
    hint = get_type_hints(kind)[name]
    vector = (1.0, bad)
    value = bad if float in get_args(hint) else vector if kind is Step or name != "inner_products" else (vector,) * 2
    return kind(index=3, local_index=3, **{name: value})


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_a_bad_number_is_found_in_every_field(kind, name, bad):
    assert find_nonfinite_fields(broken(kind, name, bad)) == (name,)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", MEASURED_FIELDS[Step])
def test_a_step_with_a_bad_number_computes(name, bad):
    step = broken(Step, name, bad)
    assert not has_finite_measurements(step)
    assert FiniteGuard(Told()).decide(None, step)[0] == Decision(True, "not finite")


def test_a_whole_step_is_finite():
    assert has_finite_measurements(Step(index=3, local_index=3))
    numbers = {name: (0.5, 2.0) if name == "by_channel" else 0.5 for name in MEASURED_FIELDS[Step]}
    assert has_finite_measurements(Step(index=3, local_index=3, time=math.nan, **numbers)), "time is told, not measured"


def test_nonfinite_fields_are_named():
    broken = {"output_change": -math.inf, "prediction_error": math.nan, "input_by_channel": (1.0, math.inf)}
    outcome = Outcome(index=1, local_index=1, input_change=2.0, output_by_channel=(1.0, 2.0), **broken)
    assert find_nonfinite_fields(outcome) == ("output_change", "prediction_error", "input_by_channel")
    assert find_nonfinite_fields(Outcome(index=1, local_index=1)) == ()
