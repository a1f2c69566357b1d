"""Real joint models of diffusers with tiny random weights: their sound goes on along its own course."""

import contextlib
import warnings

import pytest
import torch
from accelerate import cpu_offload_with_hook
from tests.integrations.joint_models import SETTINGS, STEPS, ltx2, measure_errors, minimax_h3

import navicache

pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed in version:FutureWarning")


BOTH = pytest.mark.parametrize("build", [pytest.param(ltx2, marks=pytest.mark.slow), minimax_h3])


@BOTH
def test_sound_is_nearer_than_held(build):
    joint = build()
    (_, held), (_, predicted) = (measure_errors(joint, way, speedup=2.0) for way in (True, False))
    assert predicted < 0.5 * held


@BOTH
@pytest.mark.parametrize("policy", ["easycache", "navicache", "static"])
def test_a_policy_that_adds_a_residual_adds_the_sounds_own(build, policy):
    """To the latent of every reused step: what the model added at the last computed one."""
    model, target, generate = build()
    calls: list[tuple[bool, torch.Tensor, torch.Tensor]] = []
    with navicache.enable(target, steps=STEPS, **SETTINGS.get(policy, SETTINGS["static 3.0x"])) as cache:
        forward = model.forward

        def call(*args, **kwargs):
            computed, latent = cache.progress[0], kwargs["audio_hidden_states"].clone()
            output = forward(*args, **kwargs)
            calls.append((cache.progress[0] > computed or not calls, latent, output[1].clone()))
            return output

        model.forward = call
        generate()
        model.forward = forward
    assert len(calls) == STEPS
    assert 3 < sum(computed for computed, _, _ in calls) < STEPS
    residual = calls[0][2] - calls[0][1]
    for computed, latent, output in calls:
        residual = output - latent if computed else residual
        torch.testing.assert_close(output, latent + residual, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "policy", ["teacache", *(pytest.param(name, marks=pytest.mark.slow) for name in ("firstblockcache", "dbcache"))]
)
def test_blocks_of_video_and_sound_add_a_residual_to_each(policy):
    """LTX-2 hands its blocks both; shadow mode goes on with what was predicted of both."""
    model, target, generate = joint = ltx2()
    plain = generate()
    (_, held), (_, added) = (measure_errors(joint, way, **SETTINGS[policy]) for way in (True, False))
    assert added < 0.6 * held
    made = []
    for shadow in (None, "cached"):
        with navicache.enable(target, steps=STEPS, shadow=shadow, **SETTINGS[policy]) as cache:
            made.append(generate())
            assert 3 < cache.trace.runs[0].computed < STEPS
    assert all(torch.equal(a, b) for a, b in zip(*made, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(generate(), plain, strict=True))
    assert "forward" not in vars(model)


@pytest.mark.parametrize("frozen", [False, True], ids=["moving sound", "frozen sound"])
def test_two_generations_of_minimax_h3_are_told_apart_by_their_times(frozen):
    """Its time runs up to 1, and what is frozen stays there."""
    model, _, generate = minimax_h3(frozen)
    plain = generate()
    with navicache.enable(model, speedup=2.0, steps=STEPS) as cache:
        made = [generate() for _ in range(2)]
        runs = cache.trace.runs
    assert [(run.length, run.computed) for run in runs] == [(STEPS, STEPS // 2)] * 2
    assert all(torch.equal(a, b) for a, b in zip(*made, strict=True))
    assert not torch.equal(made[0][0], plain[0])
    assert all(torch.equal(a, b) for a, b in zip(generate(), plain, strict=True))
    assert all(step.other_errors["1"] < 1 for step in runs[0].steps[1:] if step.computed)


def test_max_error_and_shadow_on_a_joint_model():
    model, _, generate = minimax_h3()
    with navicache.enable(model, max_error=0.05, steps=STEPS, shadow="cached") as cache:
        generate()
        (run,) = cache.trace.runs
        assert "output 1" in cache.summary()
    reused = [step for step in run.steps if not step.computed]
    assert reused
    assert all(step.other_errors["1"] < 0.2 for step in reused)


@pytest.mark.slow
@pytest.mark.parametrize("enable_first", [True, False])
def test_compiled_and_offloaded_the_sound_is_the_same(enable_first):
    model, _, generate = minimax_h3()
    with navicache.enable(model, speedup=2.0, steps=STEPS):
        expected = generate()
    graphs: list[torch.fx.GraphModule] = []
    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")  # of Dynamo
        if enable_first:
            stack.enter_context(navicache.enable(model, speedup=2.0, steps=STEPS))
        model.compile(backend=lambda graph, _: graphs.append(graph) or graph)
        cpu_offload_with_hook(model, "cpu")
        if not enable_first:
            stack.enter_context(navicache.enable(model, speedup=2.0, steps=STEPS))
        made = generate()
    assert graphs
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(made, expected, strict=True))
