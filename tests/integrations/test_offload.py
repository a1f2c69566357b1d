"""accelerate's offload hooks replace the forward too, and put it back after every generation."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from accelerate import cpu_offload_with_hook
from accelerate.hooks import AlignDevicesHook, add_hook_to_module, remove_hook_from_module
from tests.integrations.common import REUSING, STEPS, assert_same, attributes, counted, fresh, generate, params, plain
from tests.integrations.toys import COND, KNOBS, Toy, assert_right_streams, denoise
from tests.tiny import TINY

import navicache

some = pytest.mark.parametrize("name", params("wan", "wan22", "zimage"))


def offload(pipe: Any) -> None:
    """`enable_model_cpu_offload`, which refuses to run without an accelerator unless it is named."""
    pipe.enable_model_cpu_offload(device="cpu")
    assert all(hasattr(hook.model, "_hf_hook") for hook in pipe._all_hooks)


def cached_under_offload(name: str, offload_first: bool) -> tuple[Any, navicache.Cache]:
    """A pipeline with both on, in either order."""
    pipe = TINY[name].build()
    if offload_first:
        offload(pipe)
    cache = navicache.enable(pipe, **REUSING)
    if not offload_first:
        offload(pipe)
    return pipe, cache


@some
@pytest.mark.parametrize("offload_first", [True, False])
def test_the_cache_stays_on_in_every_generation(name: str, offload_first: bool) -> None:
    pipe, cache = cached_under_offload(name, offload_first)
    for _ in range(3):
        assert_same(generate(cache, name, pipe), fresh(name))
        assert pipe._all_hooks
    lines = len(fresh(name).steps)
    assert len(cache.trace.runs) == 3 * lines


@some
@pytest.mark.parametrize("generations", [0, 2])
@pytest.mark.parametrize("offload_first", [True, False])
def test_disable_leaves_a_working_model_with_offload_on(name: str, offload_first: bool, generations: int) -> None:
    pipe = TINY[name].build()
    before = attributes(pipe)
    if offload_first:
        offload(pipe)
    cache = navicache.enable(pipe, **REUSING)
    if not offload_first:
        offload(pipe)
    for _ in range(generations):
        generate(cache, name, pipe)
    cache.disable()
    runs = len(cache.trace.runs)
    for _ in range(3):
        hook = pipe._all_hooks[0].hook
        pre, seen = hook.pre_forward, []
        hook.pre_forward = lambda *args, pre=pre, seen=seen, **kwargs: seen.append(1) or pre(*args, **kwargs)
        with counted(pipe) as calls:
            assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))
        assert len(calls) == sum(len(steps) for steps in fresh(name).steps.values())
        assert seen  # offload still has its say
    assert len(cache.trace.runs) == runs
    pipe.remove_all_hooks()
    assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))
    assert all("_old_forward" not in names for names in attributes(pipe).values())
    assert before.keys() == attributes(pipe).keys()


@some
@pytest.mark.parametrize("offload_first", [True, False])
def test_offload_can_go_first(name: str, offload_first: bool) -> None:
    pipe, cache = cached_under_offload(name, offload_first)
    generate(cache, name, pipe)
    pipe.remove_all_hooks()
    pipe._all_hooks = []
    assert_same(generate(cache, name, pipe), fresh(name))
    cache.disable()
    assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))


@pytest.mark.parametrize("rounds", [1, 3])
def test_hooks_put_on_and_taken_off_by_hand(rounds: int) -> None:
    """What `maybe_free_model_hooks` does after every generation, without a pipeline around it."""
    pipe = TINY["wan"].build()
    cpu_offload_with_hook(pipe.transformer, "cpu")
    cache = navicache.enable(pipe, **REUSING)
    for _ in range(rounds):
        assert_same(generate(cache, "wan", pipe), fresh("wan"))
        remove_hook_from_module(pipe.transformer, recurse=True)
        assert_same(generate(cache, "wan", pipe), fresh("wan"))
        cpu_offload_with_hook(pipe.transformer, "cpu")
        add_hook_to_module(pipe.transformer, AlignDevicesHook(execution_device="cpu"), append=True)
    cache.disable()
    assert hasattr(pipe.transformer, "_hf_hook")
    assert torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan"))
    remove_hook_from_module(pipe.transformer, recurse=True)
    assert torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan"))


def test_enabled_again_and_again_under_offload() -> None:
    pipe = TINY["wan"].build()
    offload(pipe)
    for _ in range(3):
        with navicache.enable(pipe, **REUSING) as cache:
            assert_same(generate(cache, "wan", pipe), fresh("wan"))
        assert torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan"))


def test_an_error_under_offload() -> None:
    pipe = TINY["wan"].build()
    offload(pipe)
    cache = navicache.enable(pipe, **REUSING)

    def stop(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(cache, "wan", pipe, callback_on_step_end=stop)
    assert_same(generate(cache, "wan", pipe), fresh("wan"))


@pytest.mark.parametrize("offload_first", [True, False])
def test_a_plain_module_under_offload(offload_first: bool) -> None:
    toy = Toy()
    if offload_first:
        cpu_offload_with_hook(toy, "cpu")
    cache = navicache.enable(toy, **KNOBS)
    if not offload_first:
        cpu_offload_with_hook(toy, "cpu")
    for _ in range(3):
        calls = list(denoise(toy, lambda step: [COND]))
        assert all(assert_right_streams(calls).values())
        remove_hook_from_module(toy)
        cpu_offload_with_hook(toy, "cpu")
    cache.disable()
    assert hasattr(toy, "_hf_hook")
    assert all(call.computed for call in denoise(toy, lambda step: [COND]))
    remove_hook_from_module(toy)
    assert all(call.computed for call in denoise(toy, lambda step: [COND]))
