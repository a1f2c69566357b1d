"""One of two ranks: runs every scenario, and leaves what it saw of each in a file.

The first block of each model waits for the other rank, as a collective inside would: ranks that decide differently
hang here, until the group's timeout or the test's ends it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from tests.integrations.common import REUSING, STEPS, first_block
from tests.integrations.toys import COND, KNOBS, UNCOND, Toy, denoise
from tests.parallel.ways import fsdp, tensor_parallel, ulysses
from tests.tiny import TINY

import navicache

POLICIES: dict[str, dict[str, Any]] = {
    "navicache": dict(REUSING),
    "easycache": {"threshold": 0.4, "align_steps": 3},
    "inertial": {"threshold": 0.1, "align_steps": 3},
    "teacache": {"threshold": 0.3},
    "static": {"interval": 3},
    "random": {},
    "pab": {},
}
Seen = dict[str, Any]


def meet(*_: Any) -> None:
    """What a model's own collectives do: nobody goes on before all are there."""
    dist.all_reduce(torch.ones(1))


def build(meeting: bool = True) -> Any:
    pipe = TINY["wan"].build(layers=2)
    if meeting:
        first_block(pipe.transformer).register_forward_pre_hook(meet)
    return pipe


def seen(pipe: Any, cache: navicache.Cache, rank: int, **call: Any) -> Seen:
    """Decisions of a generation whose latents and prompt are another on each rank."""
    latents = TINY["wan"].call(pipe, steps=STEPS, seed=rank, prompt=f"a cat on rank {rank}", **call)
    run = cache.trace.runs[-1]
    lines = [[step.index, step.sample, step.computed, step.reason] for step in run.steps]
    return {"lines": lines, "notes": list(run.notes), "finite": bool(latents.isfinite().all())}


def policy(name: str, group: bool) -> Callable[[int], Seen]:
    def scenario(rank: int) -> Seen:
        pipe = build(meeting=group)
        knobs = {**POLICIES[name], **({"group": dist.group.WORLD} if group else {})}
        return seen(pipe, navicache.enable(pipe, name, **knobs), rank)

    return scenario


def batch(rank: int) -> Seen:
    """Per-sample decisions."""
    pipe = build()
    return seen(pipe, navicache.enable(pipe, **REUSING, group=dist.group.WORLD), rank, batch=2)


def apart(rank: int) -> Seen:
    """One rank is told to begin anew in mid-run; a second generation must be cached again."""
    pipe = build()
    cache = navicache.enable(pipe, **REUSING, group=dist.group.WORLD)

    def reset(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == 4 and rank == 1:
            cache.reset()
        return kwargs

    first = seen(pipe, cache, rank, callback_on_step_end=reset)
    return {**first, "next": seen(pipe, cache, rank)["lines"]}


def curious(rank: int) -> Seen:
    """Rank 0 looks at its trace at every step."""
    pipe = build()
    cache = navicache.enable(pipe, **REUSING, group=dist.group.WORLD)

    def look(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if rank == 0:
            cache.summary()
        return kwargs

    return seen(pipe, cache, rank, callback_on_step_end=look)


def sharded(way: Callable[[Any], None], enable_first: bool, site: str) -> Callable[[int], Seen]:
    """The group is not named: the model tells."""

    def scenario(rank: int) -> Seen:
        pipe = TINY["wan"].build(layers=2)  # its own collectives are what would hang
        cache = navicache.enable(pipe, **REUSING, site=site) if enable_first else None
        way(pipe)
        cache = cache or navicache.enable(pipe, **REUSING, site=site)
        return {**seen(pipe, cache, rank), "model": cache.trace.runs[-1].model}

    return scenario


def refusing(way: Callable[[Any], None]) -> Callable[[int], Seen]:
    """At the blocks: what enters them is whole and what leaves them a rank's own part."""

    def scenario(rank: int) -> Seen:
        pipe = TINY["wan"].build(layers=2)
        way(pipe)
        cache = navicache.enable(pipe, **REUSING, site="blocks")
        try:
            seen(pipe, cache, rank)
        except navicache.engine.CannotCache as error:
            return {"error": str(error)}
        return {"error": ""}

    return scenario


class Meeting(Toy):
    """A toy whose ranks wait for each other."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        meet()
        return super().forward(*args, **kwargs)


def guidance_parallel(rank: int) -> Seen:
    """Simulated: each rank runs a guidance branch of its own."""
    toy = Meeting()
    cache = navicache.enable(toy, **KNOBS, group=dist.group.WORLD, steps=16)
    calls = list(denoise(toy, lambda step: [COND if rank == 0 else UNCOND]))
    return {"lines": [[call.step, 0, call.computed, ""] for call in calls], "notes": list(cache.trace.runs[-1].notes)}


def ring(rank: int) -> Seen:
    """Simulated: each rank holds a part of the sequence, whose latents move at another pace."""
    toy = Meeting()
    navicache.enable(toy, **KNOBS, group=dist.group.WORLD, steps=16)
    calls = list(denoise(toy, lambda step: [COND, UNCOND], seed=rank, shape=(1, 8, 3)))
    return {"lines": [[call.step, 0, call.computed, ""] for call in calls], "notes": []}


SCENARIOS: dict[str, Callable[[int], Seen]] = {
    **{f"{name} together": policy(name, True) for name in POLICIES},
    **{f"{name} by itself": policy(name, False) for name in ("navicache", "inertial", "teacache")},
    "batch": batch,
    "apart": apart,
    "curious": curious,
    "guidance parallel": guidance_parallel,
    "ring": ring,
    "ulysses": sharded(ulysses, False, "model"),
    "ulysses, enabled first": sharded(ulysses, True, "model"),
    "ulysses, blocks": refusing(ulysses),
    "tensor parallel": sharded(tensor_parallel, False, "model"),
    "tensor parallel, blocks": sharded(tensor_parallel, False, "blocks"),
    "fsdp": sharded(fsdp, False, "model"),
    "fsdp, enabled first": sharded(fsdp, True, "model"),
    "fsdp, blocks": sharded(fsdp, False, "blocks"),
}


def main(rank: int, folder: Path) -> None:
    torch.set_num_threads(1)
    where = f"file://{folder / 'meeting'}"
    dist.init_process_group("gloo", init_method=where, rank=rank, world_size=2, timeout=timedelta(seconds=30))
    for name, scenario in SCENARIOS.items():
        (folder / f"{name}.{rank}.json").write_text(json.dumps(scenario(rank)))
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
