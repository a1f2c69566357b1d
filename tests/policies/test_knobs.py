"""Every knob of every policy is checked when the policy is built, not in the middle of a run."""

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from navicache.estimator import NoiseSchedule as NoiseSchedule
from navicache.policies import POLICIES, Inertial, Schedule, build_policy

KNOBS = [(name, f.name) for name, kind in POLICIES.items() for f in fields(kind)]  # pyright: ignore[reportArgumentType]
FAIR = {"coefficients": (0, 0, 0, 1), "modules": ("mlp",)}  # for knobs that are tuples; else (1,)


def kinds(name: str, knob: str) -> set[Any]:
    """The types a knob may have; a word is of type Literal."""
    hint = get_type_hints(POLICIES[name])[knob]
    parts = (hint,) if get_origin(hint) in (None, Literal, tuple) else get_args(hint)
    return {get_origin(part) or part for part in parts}


def knobs(of_kind: Callable[[set[Any]], Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("name", "knob"), [pair for pair in KNOBS if of_kind(kinds(*pair))])


def refused(name: str, knob: str, *values: Any) -> None:
    for value in values:
        with pytest.raises(ValueError, match=rf"^{knob} (must be|is) "):
            build_policy(name, **{knob: value})


@knobs(lambda _: True)
@pytest.mark.parametrize(
    "bad",
    [math.nan, math.inf, -math.inf, -0.5, "no such word", object(), {}],
    ids=["nan", "inf", "minus inf", "half below", "word", "object", "dict"],
)
def test_every_knob_is_checked_when_the_policy_is_built(name, knob, bad):
    refused(name, knob, bad)


@pytest.mark.parametrize(("name", "knob"), [pair for pair in KNOBS if pair != ("random", "seed")])
def test_no_knob_is_negative_but_a_seed(name, knob):
    refused(name, knob, -1)


@knobs(lambda kinds: bool not in kinds)
def test_true_and_false_are_no_numbers(name, knob):
    refused(name, knob, True, False)


@knobs(lambda kinds: bool in kinds)
def test_numbers_are_not_true_or_false(name, knob):
    refused(name, knob, 0, 1, 1.0)


@knobs(lambda kinds: int in kinds and float not in kinds)
def test_a_whole_number_has_no_fraction(name, knob):
    """2.0 neither: steps are counted, not measured."""
    refused(name, knob, 2.5, 2.0)


@knobs(lambda kinds: type(None) not in kinds)
def test_none_is_refused_where_it_means_nothing(name, knob):
    refused(name, knob, None)


@knobs(lambda kinds: kinds & {tuple, Sequence})
def test_what_is_in_a_tuple_is_checked_as_well(name, knob):
    fair = FAIR.get(knob, (1,))
    refused(name, knob, *((*fair, bad) for bad in (True, math.nan, math.inf, "no such word", None)))


def test_every_kind_of_knob_is_met():
    """Else a change of types would leave one of the tests above without a case."""
    met = [kinds(*pair) for pair in KNOBS]
    for kind in (bool, int, float, tuple, Sequence, Literal, type(None)):
        assert any(kind in each for each in met), kind


@pytest.mark.parametrize("knob", ["initial_variance", "deviations", "epsilon", "output_epsilon"])
def test_only_a_noise_may_follow_a_schedule(knob):
    flat = NoiseSchedule(((0.0, 0.05),))
    assert build_policy("navicache", process_noise=flat, measurement_noise=flat, drift_noise=flat)
    refused("navicache", knob, flat)


NONSENSE = {
    "speedup": (0.5, math.nan, "2", -1, True),
    "max_error": (-0.1, 1.5, math.nan, "x", False),
    "threshold": (-0.1, math.nan, "x", True),
    "align_steps": (0, 2.5, "3", -1),
    "process_noise": (-1.0, math.nan, "x", None),
    "measurement_noise": (-1.0, math.nan, "x", None),
    "amends": (0, 0.5, "x", None),
    "last_step": (2, "maybe", None),
    "longest_reuse": (-1, 1.5, "x"),
    "shortest": (-1, 2.5, "x", None),
    "rows": ("each", None),
    "site": ("", "module", None),
    "at": ((), (0, -1), (0, 0.5), "01", 3),
}


@pytest.mark.parametrize("kind", [Inertial, Schedule])
def test_no_knob_is_forgotten_here(kind):
    assert {f.name for f in fields(kind)} <= NONSENSE.keys()


CASES = [(kind, f.name, value) for kind in (Inertial, Schedule) for f in fields(kind) for value in NONSENSE[f.name]]
CASES.append((Schedule, "align_steps", None))  # of inertial it means: as the target needs


@pytest.mark.parametrize(("kind", "knob", "value"), CASES)
def test_nonsense_is_refused_by_name(kind, knob, value):
    with pytest.raises(ValueError, match=rf"^{knob} must be"):
        kind(**{knob: value})
