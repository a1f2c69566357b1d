"""Pipelines and models may write to what they were given: nothing that is kept goes with it."""

import pytest
import torch
from tests.engine.toys.engines import Doubler, engine_for, ramp
from tests.engine.toys.gates import told

from navicache.policies import NaviCache, Static


@pytest.mark.parametrize("policy", [NaviCache(threshold=0.3, align_steps=2), Static(interval=2)])
def test_latents_written_in_place_do_not_fool_the_engine(policy):
    fresh, reused = engine_for(Doubler(), policy), engine_for(Doubler(), policy)
    expected = [fresh(x, float(10 - i)).clone() for i, x in enumerate(ramp(10))]
    latent = torch.empty(1, 4)
    outputs = []
    for i, x in enumerate(ramp(10)):
        outputs.append(reused(latent.copy_(x), float(10 - i)).clone())
        latent.zero_()
    assert all(torch.equal(a, b) for a, b in zip(expected, outputs, strict=True))
    assert fresh.engine.trace.runs[0].computed_steps() == reused.engine.trace.runs[0].computed_steps()


def test_an_output_written_in_place_does_not_spoil_the_reference():
    cached = engine_for(Doubler(), Static(interval=2, last_step=False))
    first = cached(torch.full((1, 4), 10.0), 10.0)
    first.zero_()
    assert cached(torch.full((1, 4), 9.0), 9.0)[0, 0].item() == 19


def test_a_model_may_write_to_its_input():
    def model(x, t):
        y = 2 * x
        x.zero_()
        return y

    now = {"index": 0, "name": "cond"}
    cached = engine_for(model, Static(interval=3, last_step=False), describe_call=told(now))
    outputs = {"cond": [], "uncond": []}
    for i, x in enumerate(ramp(6)):
        for name in outputs:
            now.update(index=i, name=name)
            outputs[name].append(cached(x.clone(), 1.0)[0, 0].item())
    # x = 6..1, computed at 0 and 3: y = 12 and 6, residuals 6 and 3.
    assert outputs["cond"] == outputs["uncond"] == [12, 11, 10, 6, 5, 4]


def test_what_stands_beside_the_prediction_is_out_of_reach():
    cached = engine_for(lambda x, t: (2 * x, torch.ones(3)), Static(interval=2, last_step=False))
    cached(torch.ones(1, 4), 2.0)[1].zero_()
    reused = cached(torch.ones(1, 4), 1.5)[1]
    assert torch.equal(reused, torch.ones(3))
