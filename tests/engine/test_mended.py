"""Mistakes a reviewer found, mended since: each was wrong once."""

from dataclasses import dataclass

import pytest
import torch
from tests.engine.toys import Custom, Doubler, engine_for, ramp

import navicache
from navicache.engine import Host
from navicache.policies import OutputHold, Static, Weights
from navicache.policies.fixed import IndexGate


@dataclass(frozen=True)
class Every(IndexGate):
    """Computes the steps it is told, with one decision per stream where asked for."""

    steps: tuple[int, ...] = ()

    def due(self, step):
        return step.index in self.steps


@dataclass(frozen=True)
class Linear:
    """Straight on through the two newest computed steps, one apart."""

    order: int = 2
    products: bool = False
    keeps_inputs: bool = False
    keeps_missed: bool = False

    def init(self):
        return 0

    def weights(self, state, step):
        return Weights(0.0, ((0.0, 1.0 + step.gap), (0.0, -1.0 * step.gap)))

    def learn(self, state, outcome):
        return state + 1


def told(now):
    return lambda: Host(now["name"], now["index"], 100, None, now)


def test_two_references_extrapolate_and_a_late_follower_waits_for_its_own():
    now = {"index": 0, "name": "cond"}
    cached = engine_for(lambda x, t: 2 * x, Custom(Every(steps=(0, 1, 4, 5)), Linear()), surroundings=told(now))
    for i, x in enumerate(ramp(8)):
        for name in ("cond", "uncond") if i >= 3 else ("cond",):
            now.update(index=i, name=name)
            assert torch.equal(cached(x, 1.0), 2 * x), "a straight line is predicted exactly"
    record = cached.engine.trace.runs[-1]
    computed = {name: record.computed_steps(stream=name) for name in ("cond", "uncond")}
    assert computed == {"cond": (0, 1, 4, 5), "uncond": (3, 4, 5)}


def test_a_gate_that_raises_leaves_the_handle_usable():
    @dataclass(frozen=True)
    class Broken(Every):
        reads: frozenset = frozenset({"since_seen"})

        def learn(self, state, outcome):
            raise RuntimeError("broken gate")

    cache = navicache.enable(Doubler(), Custom(Broken(), OutputHold()), steps=20)
    model = cache._attachments[""]._module
    with pytest.raises(RuntimeError, match="broken gate"):
        for i, x in enumerate(ramp(4)):
            model(x, 9.0 - i)
    assert "custom on Doubler" in cache.summary()
    cache.disable()
    assert torch.equal(model(torch.ones(1, 4), 1.0), torch.full((1, 4), 2.0))


def test_a_function_without_a_time_is_still_stepped():
    cache = navicache.enable(lambda x: -x, "static", interval=2, steps=10)
    for x in ramp(10):
        cache(x)
    (record,) = cache.trace.runs
    assert record.computed_steps() == (0, 2, 4, 6, 8, 9)


def test_a_model_may_write_to_its_input():
    def model(x, t):
        y = 2 * x
        x.zero_()
        return y

    now = {"index": 0, "name": "cond"}
    cached = engine_for(model, Static(interval=3, last_step=False), surroundings=told(now))
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


def test_an_output_hold_measures_only_the_latent_channels():
    knobs = {"threshold": 1e9, "align_steps": 2, "hold": "output", "dimensions": "channel"}
    cache = navicache.enable(lambda x, t: x[:, :2] * 2, "navicache", **knobs, steps=8)
    for i in range(8):
        cache(torch.full((1, 4, 3, 3), 8.0 - i), 8.0 - i)
    assert cache.trace.runs[-1].computed_steps() == (0, 1, 7)


def test_branches_that_differ_in_their_condition_channels_are_one_sample():
    now = {"index": 0, "name": "both"}
    policy = navicache.policies.NaviCache(threshold=0.3, align_steps=2)
    cached = engine_for(lambda x, t: 2 * x[:, :2], policy, surroundings=told(now))
    condition = torch.stack([torch.zeros(2, 3), torch.ones(2, 3)])
    for i in range(8):
        now["index"] = i
        cached(torch.cat([torch.full((2, 2, 3), 8.0 - i), condition], 1), torch.ones(2))
    assert cached.engine.trace.runs[-1].samples == 1


def test_a_scheduler_that_stands_still_is_not_believed():
    stale = {"index": 7, "name": None}
    cached = engine_for(Doubler(), Static(interval=2, last_step=False), surroundings=told(stale))
    for i, x in enumerate(ramp(8)):
        cached(x, 8.0 - i, torch.ones(1, 3))
    (record,) = cached.engine.trace.runs
    assert record.streams == ("0",)
    assert record.length == 8
    assert record.computed < 8


@pytest.mark.parametrize(
    "wrong", [{"steps": 3.5}, {"keep_dtype": "bfloat16"}, {"align_steps": 2.5}, {"longest_reuse": 1.5}]
)
def test_numbers_of_the_wrong_kind_are_refused(wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        navicache.enable(Doubler(), **wrong)


@pytest.mark.parametrize("target", [5, None, len])
def test_disable_says_what_it_takes(target):
    with pytest.raises(TypeError, match="pass a pipeline, a module or the handle"):
        navicache.disable(target)
