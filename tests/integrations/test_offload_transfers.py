"""Offload that moves weights at every call: none are moved for what is reused, in either order, again and again.

On a CPU nothing has to be moved; accelerate's hooks with weights on the meta device fill them in all the same, and
diffusers' groups are brought over all the same, so the transfers can be counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from accelerate import cpu_offload
from accelerate.hooks import AlignDevicesHook, SequentialHook
from diffusers.hooks.group_offloading import GroupOffloadingHook, ModuleGroup
from tests.integrations.common import REUSING, STEPS, newest, plain
from tests.tiny import TINY

import navicache

GENERATIONS = 3
Loads = Callable[[], int]


def sequential(pipe: Any) -> None:
    """What `enable_sequential_cpu_offload` does to each model; it refuses a CPU as the place to run."""
    cpu_offload(pipe.transformer, torch.device("cpu"))
    assert all(weight.is_meta for weight in pipe.transformer.parameters())


def by_blocks(pipe: Any) -> None:
    cpu = torch.device("cpu")
    pipe.transformer.enable_group_offload(cpu, cpu, offload_type="block_level", num_blocks_per_group=1)


def by_leaves(pipe: Any) -> None:
    cpu = torch.device("cpu")
    pipe.transformer.enable_group_offload(cpu, cpu, offload_type="leaf_level")


def count_loads(pipe: Any) -> Loads:
    """How many modules or groups have been brought over so far."""
    seen: list[object] = []
    for place in movers(pipe.transformer):
        name = "pre_forward" if isinstance(place, AlignDevicesHook) else "onload_"
        own = getattr(place, name)
        setattr(place, name, lambda *args, own=own, **kwargs: seen.append(own) or own(*args, **kwargs))
    return lambda: len(seen)


def movers(transformer: Any) -> list[AlignDevicesHook | ModuleGroup]:
    found: dict[int, Any] = {}
    for module in transformer.modules():
        hook = vars(module).get("_hf_hook")
        hooks = hook.hooks if isinstance(hook, SequentialHook) else [hook]
        registry = vars(module).get("_diffusers_hook")
        groups = (
            [] if registry is None else [h.group for h in registry.hooks.values() if type(h) is GroupOffloadingHook]
        )
        some = [h for h in hooks if isinstance(h, AlignDevicesHook) and h.offload] + groups
        found |= {id(mover): mover for mover in some}
    return list(found.values())


def loads_of_a_call(way: Callable[[Any], None]) -> float:
    """Without a cache."""
    pipe = TINY["wan"].build(layers=3)
    way(pipe)
    loads = count_loads(pipe)
    TINY["wan"].call(pipe, steps=2)
    return loads() / 4


def root_loads(way: Callable[[Any], None]) -> int:
    """accelerate's hook on the whole model stays above the cache: it brings the model's own table, and nothing else."""
    return 1 if way is sequential else 0


@pytest.mark.parametrize("way", [sequential, by_blocks, by_leaves])
@pytest.mark.parametrize("offload_first", [True, False])
def test_a_reused_step_loads_nothing(way: Callable[[Any], None], offload_first: bool) -> None:
    pipe, each = TINY["wan"].build(layers=3), loads_of_a_call(way)
    if offload_first:
        way(pipe)
    cache = navicache.enable(pipe, **REUSING)
    if not offload_first:
        way(pipe)
    loads = count_loads(pipe)
    for _ in range(GENERATIONS):
        TINY["wan"].call(pipe, steps=STEPS)
    calls = [step.computed for run in cache.trace.runs for step in run.steps]
    assert len(cache.trace.runs) == GENERATIONS
    assert sum(calls) < len(calls) == 2 * STEPS * GENERATIONS
    assert loads() == each * sum(calls) + (len(calls) - sum(calls)) * root_loads(way)
    cache.disable()
    torch.testing.assert_close(TINY["wan"].call(pipe, steps=STEPS), plain("wan", (("layers", 3),)))


@pytest.mark.parametrize("way", [sequential, by_blocks])
@pytest.mark.parametrize("offload_first", [True, False])
def test_blocks_that_are_reused_are_not_loaded(way: Callable[[Any], None], offload_first: bool) -> None:
    pipe, each = TINY["wan"].build(layers=3), loads_of_a_call(way)
    if offload_first:
        way(pipe)
    cache = navicache.enable(pipe, **REUSING, site="blocks")
    if not offload_first:
        way(pipe)
    loads = count_loads(pipe)
    for _ in range(GENERATIONS):
        TINY["wan"].call(pipe, steps=STEPS)
    calls = [step.computed for run in cache.trace.runs for step in run.steps]
    around = each - 3 if way is by_blocks else each - 3 * loads_of_a_block()
    assert loads() == each * sum(calls) + around * (len(calls) - sum(calls))
    (run,) = newest(cache).values()
    assert run.computed < run.length


def loads_of_a_block() -> int:
    pipe = TINY["wan"].build(layers=3)
    sequential(pipe)
    return len(movers(pipe.transformer.blocks[0]))
