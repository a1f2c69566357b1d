"""Every knob of our own policies is checked when the policy is built, not in the middle of a run."""

import math
from dataclasses import fields

import pytest

from navicache.policies import Inertial, Schedule

NONSENSE = {
    "speedup": (0.5, math.nan, "2", -1, True),
    "max_error": (-0.1, 1.5, math.nan, "x", False),
    "threshold": (-0.1, math.nan, "x", True),
    "align_steps": (0, 2.5, "3", -1, None),
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


def test_inertial_has_twelve_knobs():
    assert len(fields(Inertial)) == 12


CASES = [(kind, f.name, value) for kind in (Inertial, Schedule) for f in fields(kind) for value in NONSENSE[f.name]]


@pytest.mark.parametrize(("kind", "knob", "value"), CASES)
def test_nonsense_is_refused_by_name(kind, knob, value):
    with pytest.raises(ValueError, match=rf"^{knob} must be"):
        kind(**{knob: value})
