"""What every recipe promises, asked of a generation of its host: half of the steps, and nothing left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

import navicache

Generate = Callable[[int], Tensor]  # a seed in, the latents out


@contextmanager
def counted(inside: nn.Module) -> Iterator[list[int]]:
    """How often a part of a model really runs."""
    calls: list[int] = []
    hook = inside.register_forward_pre_hook(lambda *_: calls.append(len(calls)))
    try:
        yield calls
    finally:
        hook.remove()


def assert_halves(
    generate: Generate,
    models: Mapping[Any, int],
    inside: Callable[[Any], nn.Module],
    branches: int = 2,
    told: bool = True,
    runs_each: int = 1,
    group: Any = None,
) -> None:
    """Each model of so many steps computes half of them; runs do not mix; off is as never on.

    Args:
        generate: makes latents with those models.
        models: how many steps each takes in a generation.
        inside: a part of a model that runs as often as the model.
        branches: calls of a step.
        told: `enable` is told the number of steps; where a pipeline is enabled, it knows.
        runs_each: runs of a generation: sections of a video.
        group: of ranks that generate together.
    """
    plain, before = generate(0), [set(vars(model)) for model in models]
    about = {"speedup": 2.0, "group": group}
    caches = [navicache.enable(model, steps=steps if told else None, **about) for model, steps in models.items()]
    for (model, steps), cache in zip(models.items(), caches, strict=True):
        with counted(inside(model)) as calls:
            first, other, again = generate(0), generate(1), generate(0)
        assert len(calls) == 3 * runs_each * branches * round(steps / 2)
        assert_runs(cache, [steps] * 3 * runs_each, branches)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, plain)
    assert torch.isfinite(first).all()
    for cache in caches:
        cache.disable()
    assert torch.equal(generate(0), plain)
    assert [set(vars(model)) for model in models] == before


def assert_runs(cache: navicache.Cache, lengths: list[int], streams: int) -> None:
    """So many runs of that length, half of each computed, by all its streams at the same steps."""
    runs = cache.trace.runs[-len(lengths) :]
    assert [run.length for run in runs] == lengths
    for run, steps in zip(runs, lengths, strict=True):
        assert run.computed == round(steps / 2), run.computed_steps()
        assert len(run.streams) == streams
        assert len({run.computed_steps(stream=stream) for stream in run.streams}) == 1
