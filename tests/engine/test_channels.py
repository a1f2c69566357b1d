"""Channels of the input or the output that are no part of the latent."""

import torch
from tests.engine.toys.engines import engine_for, ramp
from tests.engine.toys.gates import told

import navicache
from navicache.policies import NaviCache, Static


def test_condition_channels_of_the_input_are_no_part_of_the_latent():
    policy = NaviCache(threshold=1e9, align_steps=2, last_step=False)
    cached = engine_for(lambda x, t: 2 * x[:, :2], policy)
    for i, x in enumerate(ramp(6, width=3)):
        condition = torch.full((1, 2, 3), 1000.0 * (-1) ** i)  # changes wildly, and must not be measured
        both = torch.cat([x[:, None].expand(1, 2, 3), condition], 1)
        output = cached(both, 6.0 - i)
        assert output.shape == (1, 2, 3)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps() == (0, 1)
    assert record.column("input_change")[2:] == (1.0,) * 4
    assert output[0, 0, 0].item() == 1 + 5  # x_5 = 1, held residual 5


def test_output_channels_beyond_the_latent_are_held():
    def model(x, t):
        return torch.cat([2 * x, x * 10], 1)

    cached = engine_for(model, Static(interval=2, last_step=False))
    latents = [torch.full((1, 2, 3), 4.0 - i) for i in range(2)]
    cached(latents[0], 2.0)
    output = cached(latents[1], 1.0)
    assert output.shape == (1, 4, 3)
    assert (output[:, :2] == 3 + 4).all()
    assert (output[:, 2:] == 40).all()


def test_an_output_hold_does_not_mind_another_shape():
    policy = NaviCache(threshold=1e9, align_steps=2, hold="output", last_step=False)
    cached = engine_for(lambda x, t: x.sum(1, keepdim=True).expand(-1, 2), policy)
    outputs = [cached(x, 4.0 - i) for i, x in enumerate(ramp(4))]
    assert [o[0, 0].item() for o in outputs] == [16, 12, 12, 12]


def test_an_output_hold_measures_only_the_latent_channels():
    knobs = {"threshold": 1e9, "align_steps": 2, "hold": "output", "dimensions": "channel"}
    cache = navicache.enable(lambda x, t: x[:, :2] * 2, "navicache", **knobs, steps=8)
    for i in range(8):
        cache(torch.full((1, 4, 3, 3), 8.0 - i), 8.0 - i)
    assert cache.trace.runs[-1].computed_steps() == (0, 1, 7)


def test_branches_that_differ_in_their_condition_channels_are_one_sample():
    now = {"index": 0, "name": "both"}
    policy = NaviCache(threshold=0.3, align_steps=2)
    cached = engine_for(lambda x, t: 2 * x[:, :2], policy, describe_call=told(now))
    condition = torch.stack([torch.zeros(2, 3), torch.ones(2, 3)])
    for i in range(8):
        now["index"] = i
        cached(torch.cat([torch.full((2, 2, 3), 8.0 - i), condition], 1), torch.ones(2))
    assert cached.engine.trace.runs[-1].samples == 1
