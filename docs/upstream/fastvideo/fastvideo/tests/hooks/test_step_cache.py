from types import SimpleNamespace

import pytest
import torch
from torch import nn

from fastvideo.forward_context import set_forward_context
from fastvideo.hooks.step_cache import StepCache, StepCacheHandle


class Doubling(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, hidden_states, encoder_hidden_states, timestep):
        self.calls += 1
        return 2 * hidden_states + encoder_hidden_states


class EverySecond(StepCache):
    """Repeats the last output of a branch at odd steps."""

    def __init__(self):
        self.outputs, self.begun, self.ended = {}, [], 0

    def begin(self, num_steps):
        self.outputs = {}
        self.begun.append(num_steps)

    def call(self, at, forward, args, kwargs):
        if at.step % 2 == 0 or at.step == at.num_steps - 1:
            self.outputs[at.branch] = forward()
        return self.outputs[at.branch]

    def end(self):
        self.outputs = {}
        self.ended += 1


def run_request(model, num_steps=6):
    batch = SimpleNamespace(timesteps=list(range(num_steps)), is_cfg_negative=False)
    latents = torch.ones(1, 2)
    for step in range(num_steps):
        for negative in (False, True):
            batch.is_cfg_negative = negative
            with set_forward_context(current_timestep=step, attn_metadata=None, forward_batch=batch):
                output = model(latents, torch.full((1, 2), 1.0 - 2 * negative), torch.tensor([step]))
            latents = latents - 0.1 * output
    return latents


def test_a_cache_leaves_steps_out_and_keeps_the_branches_apart():
    model, cache = Doubling(), EverySecond()
    handle = StepCacheHandle(model, cache)
    run_request(model)
    assert model.calls == 2 * 4  # steps 0, 2, 4 and the last
    assert set(cache.outputs) == {"cond", "uncond"}
    handle.end_request()
    assert cache.outputs == {} and cache.ended == 1


def test_each_request_begins_anew():
    model, cache = Doubling(), EverySecond()
    StepCacheHandle(model, cache)
    first, second = run_request(model), run_request(model)
    assert torch.equal(first, second) and cache.begun == [6, 6]


def test_removed_is_as_never_attached():
    model = Doubling()
    plain = run_request(model)
    handle = StepCacheHandle(model, EverySecond())
    assert not torch.equal(run_request(model), plain)
    handle.remove()
    assert torch.equal(run_request(model), plain) and "forward" not in vars(model)


def test_a_call_outside_of_a_request_runs_the_model():
    model = Doubling()
    StepCacheHandle(model, EverySecond())
    with set_forward_context(current_timestep=1, attn_metadata=None):
        model(torch.ones(1, 2), torch.ones(1, 2), torch.tensor([1]))
    assert model.calls == 1


if __name__ == "__main__":
    pytest.main([__file__])
