"""MagCache's decisions: every schedule that follows from the published tables, and the rule against plain code."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from navicache.models import published, published_models
from navicache.policies import MagCache, Step
from navicache.policies.mag_gate import source

SCHEDULES = json.loads((Path(__file__).parent / "data" / "magcache_schedules.json").read_text())


def computed(policy: MagCache, total: int, branch: int = 0, tell_total: bool = True) -> list[int]:
    """Steps a branch computes; the gate asks for nothing but the step."""
    gate = policy.schemes()[0].gate
    assert gate.reads == frozenset()
    state, steps, gap = gate.init(), [], 0
    for i in range(total):
        step = Step(index=i, own_index=i, total=total if tell_total else None, branch=branch, gap=gap)
        verdict, state = gate.decide(state, step)
        gap = 1 if verdict.compute else gap + 1
        steps += [i] if verdict.compute else []
    return steps


def policy_of(model: str, **knobs: Any) -> MagCache:
    return MagCache(**{**published("magcache", model)["mid"].knobs, **knobs})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("entry", SCHEDULES, ids=lambda entry: entry["name"])
def test_every_derived_schedule(entry):
    knobs = {knob: entry[knob] for knob in ("threshold", "longest_reuse", "retention")}
    policy = policy_of(entry["model"], **knobs)
    for branch, steps in enumerate(entry["computed"]):
        assert computed(policy, entry["total"], branch) == steps
        assert computed(policy, entry["total"], branch, tell_total=False) == steps, "the table has as many steps"


def test_every_table_is_tried():
    assert {entry["model"] for entry in SCHEDULES} == set(published_models("magcache"))


def plain(table: list[float], total: int, tau: float, most: int, retention: float) -> list[int]:
    """The rule as in the common script, one call a step, transcribed without looking at ours."""
    if len(table) != total:
        table = [table[nearest(j, len(table), total)] for j in range(total)]
    product, error, reused, steps = 1.0, 0.0, 0, []
    for i in range(total):
        if i >= int(total * retention):
            product *= table[i]
            reused += 1
            error += abs(1 - product)
            if error <= tau and reused <= most and i > 0:
                continue
            product, error, reused = 1.0, 0.0, 0
        steps.append(i)
    return steps


def nearest(j: int, length: int, total: int) -> int:
    """Round half to even, by hand."""
    if total == 1:
        return length - 1
    low, rest = divmod(j * (length - 1), total - 1)
    if 2 * rest == total - 1:
        return low + low % 2
    return low + (2 * rest > total - 1)


tables = st.lists(st.floats(0.5, 1.5), min_size=2, max_size=30).map(lambda rest: [1.0, *rest])


@limits(deadline=None)
@given(tables, st.integers(2, 60), st.floats(0.001, 0.5), st.integers(0, 6), st.floats(0.05, 0.6))
def test_as_the_plain_rule(table, total, tau, most, retention):
    policy = MagCache(ratios=tuple(table), threshold=tau, longest_reuse=most, retention=retention)
    ours = computed(policy, total)
    assert ours == sorted({0, *ours})
    # Where nothing is retained the plain rule tells step 0 apart by its books, ours by the alignment.
    if int(total * retention) > 0:
        assert ours == plain(table, total, tau, most, retention)


@limits(deadline=None)
@given(st.integers(2, 200), st.integers(1, 200))
def test_resampling(length, total):
    assert [source(j, length, total) for j in range(total)] == [nearest(j, length, total) for j in range(total)]


def test_both_ends_of_a_resampled_table():
    assert (source(0, 50, 30), source(29, 50, 30), source(0, 50, 1)) == (0, 49, 49)


def test_interleaved_branches_have_their_own_table():
    ratios = tuple(x for pair in zip([1.0] * 20, [1.0, *[1.5] * 19], strict=True) for x in pair)
    policy = MagCache(ratios=ratios, interleaved=True, threshold=0.1, longest_reuse=4, retention=0.1)
    assert computed(policy, 20, branch=0) == [0, 1, 6, 11, 16]
    assert computed(policy, 20, branch=1) == list(range(20))
    assert computed(policy, 20, branch=2) == list(range(20)), "a third branch goes with the second"


def test_longer_runs_than_the_table_stay_at_its_end():
    policy = MagCache(ratios=(1.0, 1.0, 1.0, 2.0), retention=0.25)
    assert computed(policy, 8, tell_total=False) == [0, 3, 4, 5, 6, 7]


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
    assert computed(MagCache(**common), 26) != computed(MagCache(**{**common, knob: value}), 26)


def test_a_second_expert_starts_its_own_books():
    """An engine that joins in mid-run computes first, whatever the table says; the run's index counts."""
    gate = policy_of("Wan2.2-T2V-A14B").schemes()[0].gate
    assert gate.decide(gate.init(), Step(index=33, own_index=0, total=40))[0].compute
    state, reasons = gate.init(), []
    for own in range(8):
        verdict, state = gate.decide(state, Step(index=26 + own, own_index=own, total=40, gap=own and 1))
        reasons.append(verdict.reason)
    assert reasons[1:6] == ["retention"] * 5
    assert reasons[6:] == ["gate"] * 2


def test_without_a_table():
    with pytest.raises(ValueError, match=r"needs a table of the model at hand .*navicache calibrate --method magcache"):
        MagCache().schemes()
