"""An output that is NaN or infinite is returned, never carried on."""

import math

import pytest
import torch
from tests.engine.toys.curves import bend, course
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told
from tests.engine.toys.lines import STEPS, line, run

import navicache
from navicache.policies import DeadReckoning, Inertial, PolynomialExtrapolation


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("at", [0, 2, 4, 5])
def test_one_useless_output_is_never_carried_on(at, bad):
    """It is a reference for as long as two computes, and a NaN times anything stays one."""
    calls = []

    def model(x, t):
        calls.append(round(STEPS - t))
        output = line(x, t) + 0.2 * torch.sin(x)
        if len(calls) - 1 == at:
            output[..., 0] = bad
        return output

    cache = navicache.enable(model, "inertial", threshold=0.01, steps=STEPS)
    outputs = run(cache)
    broken = [i for i, output in enumerate(outputs) if not output.isfinite().all()]
    assert broken == [calls[at]], "only the useless answer itself"
    assert len(calls) < STEPS, "later steps are reused again"
    (decider,) = cache._attachments[""].engine.run.deciders.by_stream.values()
    assert math.isfinite(decider.predictor_states[0].damping.mean)
    assert "NaN or infinite" in " ".join(cache.summary().split())


def test_a_useless_output_of_one_sample_is_its_own_affair():
    def spoilt(x, t, context):
        output = bend(x, t.reshape(-1, 1, 1, 1), context.mean(-1).reshape(-1, 1, 1, 1))
        hit = (t == 14.0) & (x[:, 0, 0, 0] == course(1, 10)[0, 0, 0, 0])
        return torch.where(hit.reshape(-1, 1, 1, 1), torch.nan, output)

    policy = Custom(Told(steps=(0, 1, 2, 3, 10, 11, 12, 18), rows="sample"), DeadReckoning())
    cached = engine_for(spoilt, policy)
    for i in range(24):
        x = torch.cat([course(sample, i) for sample in (0, 1)])
        output = cached(x, torch.full((2,), 24.0 - i), torch.zeros(2, 5))
        assert output[0].isfinite().all()
        assert output[1].isfinite().all() == (i != 10)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps(0) == (0, 1, 2, 3, 10, 11, 12, 18)


@pytest.mark.parametrize("listed", [False, True], ids=["tensor", "list"])
@pytest.mark.parametrize("predictor", [DeadReckoning(), PolynomialExtrapolation(1)])
def test_a_useless_output_of_one_sample_is_never_carried_on_beside_others(predictor, listed):
    """It is kept as an older reference: its weight is zero in its own row, and not in those of the others."""

    def spoilt(x, t):
        rows = [torch.full_like(row, float(STEPS - time)) for row, time in zip(x, t, strict=True)]
        rows = [row.fill_(torch.nan) if own[0, 0] == 107 else row for row, own in zip(rows, x, strict=True)]
        return rows if listed else torch.stack(rows)

    steps = (0, 1, 2, 3, 7, 12)
    cached = engine_for(spoilt, Custom(Told("sample", steps=steps), predictor))
    for i in range(16):
        x = torch.tensor([float(i), 100.0 + i]).view(2, 1, 1).expand(2, 3, 4).clone()
        first, second = cached(list(x) if listed else x, torch.full((2,), float(STEPS - i)))
        assert first.isfinite().all()
        assert second.isfinite().all() == (i != 7), f"step {i}"
    record = cached.engine.trace.runs[-1]
    assert [record.computed_steps(sample) for sample in (0, 1)] == [steps, (0, 1, 2, 3, 7, 8, 12)]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("at", [3, 6, 9, 12])
def test_a_schedule_carries_no_useless_output_on_either(at, bad):
    """It transfers only after a compute, which is in time: the step after a useless output is computed."""
    calls = []

    def model(x, t):
        calls.append(round(20 - t))
        output = x + torch.sin(x)
        if calls[-1] == at:
            output[..., 0] = bad
        return output

    cache = navicache.enable(model, speedup=2.0, steps=20)
    outputs = [cache(torch.full((1, 4), 1 + 0.1 * i), float(20 - i)) for i in range(20)]
    broken = [i for i, output in enumerate(outputs) if not output.isfinite().all()]
    assert broken == [at], "only the useless answer itself"
    (run,) = cache.trace.runs
    assert [step.reason for step in run.steps][at + 1] == "not finite"
    assert len(calls) < 20


def test_a_latent_that_is_useless_at_a_scheduled_reuse_is_noted():
    """Nothing crosses at such a step; the prediction needs outputs alone, and the next compute tells."""
    now = {"name": "cond", "index": 0}
    cached = engine_for(lambda x, t: x + torch.sin(x), Inertial(speedup=3.0), describe_call=told(now, 20))
    reused = 7  # computed are 0, 1, 2, 5, 10, 16 and 19: not the step after one of them
    for i in range(20):
        now["index"] = i
        x = torch.full((1, 3), 1 + 0.1 * i)
        output = cached(x * math.nan if i == reused else x, float(20 - i))
        assert output.isfinite().all()
    (run,) = cached.engine.trace.runs
    assert not run.steps[reused].computed
    assert math.isnan(run.steps[reused].input_change)
    assert any("reused before that was known" in note for note in run.notes)
