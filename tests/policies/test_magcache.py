"""MagCache's decisions: every schedule that follows from the published tables, and its knobs."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.policies.computed import computed_by_branch

from navicache.models import list_published_models, load_published_presets
from navicache.policies import (
    MagCache,
    Step,
)

SCHEDULES = json.loads((Path(__file__).parent / "data" / "magcache_schedules.json").read_text())


def policy_of(model: str, **knobs: Any) -> MagCache:
    return MagCache(**{**load_published_presets("magcache", model)["mid"].knobs, **knobs})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("entry", SCHEDULES, ids=lambda entry: entry["name"])
def test_every_derived_schedule(entry):
    knobs = {knob: entry[knob] for knob in ("threshold", "longest_reuse", "retention")}
    policy = policy_of(entry["model"], **knobs)
    for branch, steps in enumerate(entry["computed"]):
        assert computed_by_branch(policy, entry["total"], branch) == steps
        assert computed_by_branch(policy, entry["total"], branch, tell_total=False) == steps, (
            "the table has as many steps"
        )


def test_every_table_is_tried():
    assert {entry["model"] for entry in SCHEDULES} == set(list_published_models("magcache"))


def test_interleaved_branches_have_their_own_table():
    ratios = tuple(x for pair in zip([1.0] * 20, [1.0, *[1.5] * 19], strict=True) for x in pair)
    policy = MagCache(ratios=ratios, interleaved=True, threshold=0.1, longest_reuse=4, retention=0.1)
    assert computed_by_branch(policy, 20, branch=0) == [0, 1, 6, 11, 16]
    assert computed_by_branch(policy, 20, branch=1) == list(range(20))
    assert computed_by_branch(policy, 20, branch=2) == list(range(20)), "a third branch goes with the second"


def test_longer_runs_than_the_table_stay_at_its_end():
    policy = MagCache(ratios=(1.0, 1.0, 1.0, 2.0), retention=0.25)
    assert computed_by_branch(policy, 8, tell_total=False) == [0, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("comparison", "<"),
        ("rounding", "up"),
        ("signed", True),
        ("largest_change", 0.01),
        ("always_compute", (12,)),
        ("reused_before", 3),
        ("switch", 0.5),
    ],
)
def test_knob_changes_a_decision(knob, value):
    ratios = tuple(1.0 if i % 5 else 1 + 0.0625 * math.copysign(1, i % 2 - 0.5) for i in range(26))
    common = {"ratios": ratios, "threshold": 0.125, "longest_reuse": 3, "retention": 0.23}
    assert computed_by_branch(MagCache(**common), 26) != computed_by_branch(MagCache(**{**common, knob: value}), 26)


def test_a_second_expert_starts_its_own_books():
    """An engine that joins in mid-run computes first, whatever the table says; the run's index counts."""
    gate = policy_of("Wan2.2-T2V-A14B").schemes()[0].gate
    assert gate.decide(gate.init(), Step(index=33, local_index=0, total=40))[0].compute
    state, reasons = gate.init(), []
    for own in range(8):
        decision, state = gate.decide(state, Step(index=26 + own, local_index=own, total=40, gap=own and 1))
        reasons.append(decision.reason)
    assert reasons[1:6] == ["retention"] * 5
    assert reasons[6:] == ["gate"] * 2


def test_without_a_table():
    with pytest.raises(ValueError, match=r"needs a table of this model, .*navicache calibrate --method magcache"):
        MagCache().schemes()
