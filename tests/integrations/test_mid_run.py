"""What users change while a generation runs, and schedules that are not one call a step from the top."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from diffusers import FlowMatchHeunDiscreteScheduler, HeunDiscreteScheduler
from diffusers.models.attention_dispatch import attention_backend
from tests.tiny.wan import WAN
from tests.tiny.zoo import STEPS, ZOO

import navicache

REUSING = {"threshold": 0.4, "align_steps": 3}
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword")  # of diffusers


def noising(pipe: Any, index: int, time: Any, given: dict[str, Any]) -> dict[str, Any]:
    """A callback that changes the latents at one step."""
    if index == 5:
        given["latents"] = given["latents"] * 0.9 + 0.05
    return given


def guiding_less(pipe: Any, index: int, time: Any, given: dict[str, Any]) -> dict[str, Any]:
    """A callback that switches guidance off for the second half, as diffusers documents it."""
    if index == 5:
        pipe._guidance_scale = 1.0
    return given


@pytest.mark.parametrize("callback", [noising, guiding_less])
@pytest.mark.parametrize(
    "policy", [("navicache", REUSING), ("inertial", {"speedup": 2.0}), ("static", {"interval": 2})]
)
def test_a_callback_that_interferes(callback, policy):
    name, knobs = policy
    pipe = WAN.build()
    full = WAN.call(pipe, steps=STEPS, callback_on_step_end=callback)
    assert not torch.equal(full, WAN.call(pipe, steps=STEPS))
    with navicache.enable(pipe, name, **knobs) as cache:
        undisturbed = WAN.call(pipe, steps=STEPS)
        first, second = (WAN.call(pipe, steps=STEPS, callback_on_step_end=callback) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, undisturbed)
    assert [run.length for run in cache.trace.runs] == [STEPS] * 3
    assert all(run.computed < STEPS for run in cache.trace.runs)
    assert torch.equal(WAN.call(pipe, steps=STEPS, callback_on_step_end=callback), full)


def test_computing_all_under_a_callback_changes_no_bit():
    pipe = WAN.build()
    for callback in (noising, guiding_less):
        full = WAN.call(pipe, steps=STEPS, callback_on_step_end=callback)
        with navicache.enable(pipe, "static", interval=1):
            assert torch.equal(WAN.call(pipe, steps=STEPS, callback_on_step_end=callback), full)


@pytest.mark.parametrize(
    ("name", "scheduler"),
    [("StableDiffusion3", FlowMatchHeunDiscreteScheduler), ("StableDiffusion", HeunDiscreteScheduler)],
)
@pytest.mark.parametrize("policy", [("static", {"interval": 2}), ("inertial", {"speedup": 1.5})])
def test_heun_calls_the_model_twice_a_step(name, scheduler, policy):
    case, (policy_name, knobs) = ZOO[name], policy
    pipe = case.build()
    pipe.scheduler = scheduler()
    full = case.run(pipe)
    with navicache.enable(pipe, policy_name, **knobs) as cache:
        first, second = case.run(pipe), case.run(pipe)
    assert torch.equal(first, second)
    assert [run.length for run in cache.trace.runs] == [2 * STEPS - 1] * 2  # no second evaluation at the last step
    assert all(run.computed < run.length for run in cache.trace.runs)
    assert torch.equal(case.run(pipe), full)


@pytest.mark.parametrize("strength", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("name", ["StableDiffusionImg2Img", "FluxImg2Img", "WanVideoToVideo"])
def test_strength_shortens_the_run_and_the_cache_knows(name, strength):
    case = ZOO[name]
    pipe = case.build()
    full = case.run(pipe, strength=strength, num_inference_steps=20)
    with navicache.enable(pipe, "static", interval=2) as cache:
        first, second = (case.run(pipe, strength=strength, num_inference_steps=20) for _ in range(2))
    assert torch.equal(first, second)
    run = cache.trace.runs[-1]
    assert run.total == run.length == pytest.approx(20 * strength, abs=1)
    assert run.steps[-1].computed  # the last step is found, and forced
    assert torch.equal(case.run(pipe, strength=strength, num_inference_steps=20), full)


def test_a_loop_of_ones_own_after_the_pipelines():
    """The pipeline still tells the steps of its last call; the scheduler tells those of this loop."""
    case = ZOO["StableDiffusion"]
    pipe = case.build()
    latent, text = torch.ones(1, 4, 8, 8), torch.ones(1, 12, 16)
    with torch.no_grad(), navicache.enable(pipe, "static", interval=2) as cache:
        case.run(pipe)
        pipe.scheduler.set_timesteps(STEPS + 8)
        for time in pipe.scheduler.timesteps:
            output = pipe.unet(latent, time, encoder_hidden_states=text).sample
            latent = pipe.scheduler.step(output, time, latent).prev_sample
    assert [(run.length, run.total) for run in cache.trace.runs] == [(STEPS, STEPS), (STEPS + 8, STEPS + 8)]


@pytest.mark.parametrize(
    ("policy", "steps", "why"),
    [
        ("navicache", 4, "4 steps leave next to nothing to reuse after 10"),
        ("navicache", 8, "8 steps leave next to nothing to reuse after 10"),
        ("inertial", 4, "4 steps leave next to nothing to reuse after 3"),
        ("inertial", 7, "a run of 7 steps has hardly one to spare"),
        (None, 7, "a run of 7 steps has hardly one to spare"),
    ],
)
def test_few_step_schedules_are_told_no(policy, steps, why):
    pipe = WAN.build()
    full = WAN.call(pipe, steps=steps, guidance=False)
    with navicache.enable(pipe, policy) as cache:
        assert torch.equal(WAN.call(pipe, steps=steps, guidance=False), full)
    assert f"computed {steps} of {steps} steps (nothing was reused)" in cache.summary()
    assert why in " ".join(cache.summary().split())


@pytest.mark.parametrize(
    ("steps", "asked", "computed"), [(13, {}, 6), (8, {}, 6), (12, {}, 9), (8, {"speedup": 2.0}, 4)]
)
def test_from_there_on_and_with_a_target_they_are_cached(steps, asked, computed):
    pipe = WAN.build()
    with navicache.enable(pipe, **asked) as cache:
        WAN.call(pipe, steps=steps, guidance=False)
    assert cache.trace.runs[0].computed == computed


@pytest.fixture
def own_backend():
    """A model's `set_attention_backend` sets diffusers' default for all models, too: it is put back."""
    with attention_backend("native"):
        yield


@pytest.mark.usefixtures("own_backend")
@pytest.mark.parametrize("backend", ["native", "_native_math"])
def test_attention_backends_in_either_order(backend):
    plain = WAN.build()
    plain.transformer.set_attention_backend(backend)
    full = WAN.call(plain, steps=STEPS)
    with navicache.enable(plain, **REUSING):
        reused = WAN.call(plain, steps=STEPS)
    assert not torch.equal(reused, full)
    pipe = WAN.build()
    with navicache.enable(pipe, **REUSING):
        pipe.transformer.set_attention_backend(backend)
        assert torch.equal(WAN.call(pipe, steps=STEPS), reused)
    assert torch.equal(WAN.call(pipe, steps=STEPS), full)
