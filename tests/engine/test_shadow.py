"""Shadow mode on toys: every step runs, decisions are taken as if they counted, true errors are known by heart."""

import pytest
import torch
from tests.engine.toys.curves import Wavy, latents
from tests.engine.toys.engines import WHOLE_MODEL, Doubler, engine_for, ramp
from tests.engine.toys.gates import told
from tests.engine.toys.shadows import BOTH, EVERY_THIRD

from navicache import Trace
from navicache.engine import CallFacts
from navicache.policies import POLICIES, EasyCache, Inertial, NaviCache


def run(cached, steps: int = 10):
    return [cached(x, float(steps - i))[0, 0].item() for i, x in enumerate(ramp(steps))]


@BOTH
def test_true_errors_of_a_held_residual(shadow):
    model = Doubler()
    cached = engine_for(model, EVERY_THIRD, shadow=shadow)
    outputs = run(cached)
    # Computed at 0, 3, 6, 9 with x = 10, 7, 4, 1. In between y = 2x, and x + x_j
    # is predicted: off by 1 of 2x, then by 2.
    predicted = [20, 19, 18, 14, 13, 12, 8, 7, 6, 2]
    assert outputs == (predicted if shadow == "cached" else [2 * x for x in range(10, 0, -1)])
    assert model.rows == [1] * 10
    (record,) = cached.engine.trace.runs
    assert record.shadow == shadow
    assert record.computed_steps() == (0, 3, 6, 9)
    truth = [1 / 18, 2 / 16, None, 1 / 12, 2 / 10, None, 1 / 6, 2 / 4]
    errors = [error if i % 3 else None for i, error in enumerate(record.column("reuse_error"))]
    assert errors[1:9] == pytest.approx(truth)


def test_without_shadow_nothing_is_measured_where_nothing_ran():
    model = Doubler()
    cached = engine_for(model, EVERY_THIRD)
    run(cached)
    (record,) = cached.engine.trace.runs
    assert (record.shadow, len(model.rows)) == (None, 4)
    assert all(step.reuse_error is None for step in record.steps if not step.computed)


@BOTH
def test_a_line_is_predicted_without_error_by_dead_reckoning(shadow):
    cached = engine_for(Doubler(), Inertial(threshold=1.0, align_steps=4, last_step=False), shadow=shadow)
    run(cached, 12)
    (record,) = cached.engine.trace.runs
    assert record.belief == "predicted_change"
    reused = [step for step in record.steps if not step.computed]
    assert len(reused) >= 4
    assert [step.reuse_error for step in reused] == pytest.approx([0.0] * len(reused), abs=1e-6)


@BOTH
@pytest.mark.parametrize("name", WHOLE_MODEL)
def test_decisions_are_those_of_a_cached_run_and_only_they_teach(name, shadow):
    """The latents do not depend on the outputs here, so both kinds must decide alike."""
    policy = POLICIES[name](align_steps=3)
    real, shade = engine_for(Wavy(), policy), engine_for(Wavy(), policy, shadow=shadow)
    for i, x in enumerate(latents(1)):
        for cached in (real, shade):
            cached(x, torch.tensor([16.0 - i]), torch.zeros(1, 3))
    (left,), (right,) = real.engine.trace.runs, shade.engine.trace.runs
    assert 3 < left.computed < left.length
    for field in ("computed", "reason", "ratio", "gain", "accumulated", "predicted_change", "output_change"):
        assert left.column(field) == right.column(field)
    assert all(step.reuse_error is not None for step in right.steps if not step.computed)


@BOTH
def test_followers_run_too_and_are_given_the_same_kind(shadow):
    now = {"index": 0, "name": "cond"}
    model = Doubler()
    cached = engine_for(model, EVERY_THIRD, describe_call=told(now), shadow=shadow)
    outputs = {"cond": [], "uncond": []}
    for i, x in enumerate(ramp(6)):
        for number, name in enumerate(outputs):
            now.update(index=i, name=name)
            outputs[name].append(cached(x, 1.0, torch.full((1, 3), float(number)))[0, 0].item())
    assert len(model.rows) == 12
    assert outputs["cond"] == ([12, 11, 10, 6, 5, 4] if shadow == "cached" else [12, 10, 8, 6, 4, 2])
    assert outputs["uncond"] == [y + 1 for y in outputs["cond"]]
    (record,) = cached.engine.trace.runs
    assert record.column("reuse_error", stream="cond")[1:3] == pytest.approx((1 / 10, 2 / 8))
    assert set(record.column("reuse_error", stream="uncond")) == {None}


@BOTH
@pytest.mark.parametrize("name", WHOLE_MODEL)
def test_the_truth_costs_no_further_sync(name, shadow, transfers):
    counts = []
    for kind in (None, shadow):
        now, before = {"index": 0, "name": ""}, len(transfers)
        cached = engine_for(Doubler(), POLICIES[name](align_steps=3), describe_call=told(now), shadow=kind)
        for i, x in enumerate(ramp(24)):
            for stream in ("cond", "uncond"):
                now.update(index=i, name=stream)
                calls = len(transfers)
                cached(x, torch.tensor([24.0 - i]), torch.full((1, 3), float(len(stream))))
                assert len(transfers) - calls <= (stream == "cond")
        counts.append(len(transfers) - before)
    assert counts[0] == counts[1]


@BOTH
def test_a_run_too_short_to_cache_is_left_alone(shadow):
    model = Doubler()
    cached = engine_for(model, NaviCache(align_steps=10), describe_call=lambda: CallFacts(total=12), shadow=shadow)
    run(cached, 6)
    assert len(model.rows) == 6
    assert cached.engine.trace.runs[0].shadow == shadow


def test_a_truth_that_raises_closes_the_run():
    calls = iter(range(100))

    def model(x, t):
        if next(calls) == 1:
            raise RuntimeError("out of memory")
        return 2 * x

    cached = engine_for(model, EVERY_THIRD, shadow="cached")
    cached(torch.ones(1, 4), 3.0)
    with pytest.raises(RuntimeError, match="out of memory"):
        cached(torch.ones(1, 4), 2.0)
    assert cached.engine.run is None


def test_json_keeps_what_shadow_mode_found():
    cached = engine_for(Doubler(), EasyCache(threshold=0.3, align_steps=2), shadow="full")
    run(cached)
    trace = cached.engine.trace
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert (again.runs[0].shadow, again.runs[0].belief) == ("full", "accumulated")
