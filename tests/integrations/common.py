"""What the integration tests share: the tiny pipelines as parameters, reference runs, and what is compared."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
import torch
from diffusers import DiffusionPipeline
from tests.tiny import TINY
from torch import Tensor, nn

import navicache

STEPS = 12
REUSING = {"threshold": 0.4, "align_steps": 3}  # reuses several of 12 steps in every tiny pipeline
SMALLER = {"height": 64, "width": 64}  # another resolution that every pipeline takes

# Mochi switches autocast off with a dtype that autocast on CPU does not know, and is told so.
QUIET_MOCHI = pytest.mark.filterwarnings("ignore:In CPU autocast, but the target dtype is not supported")


def params(*names: str) -> list[Any]:
    """The tiny pipelines as test parameters; all of them unless named."""
    return [pytest.param(name, marks=QUIET_MOCHI if name == "mochi" else ()) for name in names or TINY]


each_pipeline = pytest.mark.parametrize("name", params())


class Result(NamedTuple):
    """What a cached generation is compared by."""

    latents: Tensor
    steps: dict[str, Any]  # per transformer: every line of its newest run, measurements included


def transformers(pipe: Any) -> list[nn.Module]:
    """The cached models of a pipeline."""
    return [pipe.components[name] for name in ("transformer", "transformer_2") if pipe.components.get(name) is not None]


def newest(cache: navicache.Cache) -> dict[str, navicache.RunRecord]:
    """The newest run of every transformer."""
    return {run.model: run for run in cache.trace.runs}


def reused(cache: navicache.Cache) -> int:
    """Steps the leading streams predicted in the newest runs."""
    return sum(run.length - run.computed for run in newest(cache).values())


def generate(cache: navicache.Cache, name: str, pipe: DiffusionPipeline, **call: Any) -> Result:
    """One generation under a cache that is on."""
    latents = TINY[name].call(pipe, steps=call.pop("steps", STEPS), **call)
    return Result(latents, {model: run.steps for model, run in newest(cache).items()})


@functools.cache
def plain(name: str, build: tuple[tuple[str, Any], ...] = (), **call: Any) -> Tensor:
    """What the pipeline gives without a cache."""
    return TINY[name].call(TINY[name].build(**dict(build)), **{"steps": STEPS, **call})


@functools.cache
def fresh(name: str, build: tuple[tuple[str, Any], ...] = (), **call: Any) -> Result:
    """What a new pipeline under a new cache gives."""
    pipe = TINY[name].build(**dict(build))
    return generate(navicache.enable(pipe, **REUSING), name, pipe, **call)


def assert_same(left: Result, right: Result) -> None:
    """Decisions, everything measured on the way, and output bits agree."""
    assert left.steps == right.steps
    assert left.latents.dtype == right.latents.dtype
    assert torch.equal(left.latents, right.latents)


def first_block(transformer: nn.Module) -> nn.Module:
    """A part every real forward goes through exactly once."""
    return next(part[0] for part in transformer.children() if isinstance(part, nn.ModuleList))


@contextmanager
def on_forward(pipe: Any, action: Callable[[int], None]) -> Iterator[list[int]]:
    """Do something at every real forward of any transformer; gives the list that counts them."""
    calls: list[int] = []

    def hook(*_: Any) -> None:
        calls.append(len(calls))
        action(len(calls))

    handles = [first_block(transformer).register_forward_pre_hook(hook) for transformer in transformers(pipe)]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def counted(pipe: Any) -> Any:
    """Count the real forwards."""
    return on_forward(pipe, lambda _: None)


def raising_at(step: int, error: type[BaseException]) -> dict[str, Any]:
    """A callback that breaks a generation off after a step."""

    def callback(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == step:
            raise error("broken off")
        return kwargs

    return {"callback_on_step_end": callback}


def attributes(pipe: DiffusionPipeline) -> dict[str, set[str]]:
    """Names of all instance attributes, of every part of every transformer."""
    parts = ((f"{k}.{name}", part) for k, t in enumerate(transformers(pipe)) for name, part in t.named_modules())
    return {name: set(vars(part)) for name, part in parts}
