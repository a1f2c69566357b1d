"""Real joint models of diffusers with tiny random weights: their sound goes on along its own course."""

import contextlib
import warnings

import pytest
import torch
from accelerate import cpu_offload_with_hook
from tests.integrations.joint_models import STEPS, ltx2, measure_errors, minimax_h3

import navicache

pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed in version:FutureWarning")


@pytest.mark.parametrize("build", [pytest.param(ltx2, marks=pytest.mark.slow), minimax_h3])
def test_sound_is_nearer_than_held(build):
    joint = build()
    (_, held), (_, predicted) = (measure_errors(joint, way, speedup=2.0) for way in (True, False))
    assert predicted < 0.5 * held


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
