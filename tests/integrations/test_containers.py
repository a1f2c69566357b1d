"""What a model returns comes back in the same container, type and shape, computed or predicted."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from tests.integrations.toys import KNOBS, drifting
from torch import Tensor

import navicache

STEPS = 12
TIMES = torch.linspace(1000, 80, STEPS)

Pair = namedtuple("Pair", ["velocity", "extra"])


@dataclass
class Record:
    velocity: Tensor
    extra: Any = None


CONTAINERS: dict[str, tuple[Callable[[Tensor], Any], Any]] = {
    "tensor": (lambda y: y, None),
    "tuple": (lambda y: (y,), None),
    "list": (lambda y: [y, None], None),
    "dict": (lambda y: {"velocity": y, "extra": 3}, None),
    "dict by key": (lambda y: {"extra": y + 1, "velocity": y}, "velocity"),
    "dict by number": (lambda y: {0: y}, 0),
    "tuple by position": (lambda y: ("text", y), 1),
    "named tuple": (lambda y: Pair(y, "kept"), None),
    "named tuple by field": (lambda y: Pair("kept", y)._replace(velocity=y, extra=3), "velocity"),
    "dataclass": (lambda y: Record(y, "kept"), None),
    "dataclass by field": (lambda y: Record(y, extra=y + 1), "velocity"),
    "ordered dict": (lambda y: OrderedDict(velocity=y), None),
    "diffusers": (lambda y: Transformer2DModelOutput(sample=y), None),
    "nested": (lambda y: {"out": {"velocity": y}}, None),
    "after something else": (lambda y: ("text", {"n": 3}, y), 2),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_come_back_as_they_were(container: str) -> None:
    wrap, place = CONTAINERS[container]
    calls: list[Any] = []

    def model(x: Tensor, t: float) -> Any:
        calls.append(wrap(0.1 * x + 10))
        return calls[-1]

    cache = navicache.enable(model, call=navicache.CallSpec(output=place), **KNOBS)
    for x, t in zip(drifting(STEPS), TIMES.tolist(), strict=True):
        count = len(calls)
        output = cache(x, t)
        if len(calls) > count:
            assert output is calls[-1] or cache.trace.runs[0].samples > 1
        assert type(output) is type(calls[-1])
        assert repr(describe(output)) == repr(describe(calls[-1]))
    assert 3 <= len(calls) < STEPS


def describe(output: Any) -> Any:
    """The container with every tensor replaced by its shape, dtype and rough size."""
    match output:
        case Tensor():
            return tuple(output.shape), output.dtype, round(output.mean().item())
        case dict():
            return {key: describe(value) for key, value in output.items()}
        case list() | tuple():
            return [describe(value) for value in output]
        case Record():
            return [describe(output.velocity), describe(output.extra)]
    return output


def test_output_channels_beyond_the_latent_are_held() -> None:
    """A learned variance, for instance."""
    calls: list[Tensor] = []

    def model(x: Tensor, t: float) -> Tensor:
        calls.append(torch.cat([0.1 * x + 10, torch.full_like(x, 100 + len(calls))], 1))
        return calls[-1]

    cache = navicache.enable(model, **KNOBS)
    for x, t in zip(drifting(STEPS), TIMES.tolist(), strict=True):
        output = cache(x, t)
        assert output.shape == (2, 8, 3, 5)
        assert round(output[:, :4].mean().item()) == 10
        assert torch.equal(output[:, 4:], calls[-1][:, 4:])
    assert 3 <= len(calls) < STEPS


def test_input_channels_beyond_the_latent_are_left_out() -> None:
    """Image-to-video appends its condition, which never changes and must not be predicted from."""
    condition = torch.randn((2, 2, 3, 5), generator=torch.Generator().manual_seed(1))
    outputs = []
    for extra in (condition, condition[:, :0]):
        cache = navicache.enable(lambda x, t: 0.1 * x[:, :4] + 10, **KNOBS)
        steps = zip(drifting(STEPS), TIMES.tolist(), strict=True)
        outputs.append(torch.stack([cache(torch.cat([x, extra], 1), t) for x, t in steps]))
        assert cache.trace.runs[0].speedup > 1
    assert torch.equal(*outputs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_an_output_of_another_dtype_than_the_input(dtype: torch.dtype) -> None:
    cache = navicache.enable(lambda x, t: (0.1 * x + 10).to(dtype), threshold=0.05, align_steps=2)
    outputs = [cache(x, t) for x, t in zip(drifting(STEPS), TIMES.tolist(), strict=True)]
    assert {output.dtype for output in outputs} == {dtype}
    assert cache.trace.runs[0].speedup > 1


@pytest.mark.parametrize("kept", [torch.bfloat16, torch.float16])
def test_kept_in_another_dtype(kept: torch.dtype) -> None:
    keep = {"keep_dtype": kept, "keep_device": "cpu"}
    cache = navicache.enable(lambda x, t: 0.1 * x + 10, threshold=0.05, align_steps=2, **keep)
    for x, t in zip(drifting(STEPS), TIMES.tolist(), strict=True):
        output = cache(x, t)
        assert output.dtype == x.dtype
        assert round(output.mean().item()) == 10
    assert cache.trace.runs[0].speedup > 1


def test_latents_that_are_written_in_place() -> None:
    """Some pipelines update one tensor for the whole run: what was seen must have been copied."""
    inputs, buffer = drifting(STEPS), torch.zeros_like(drifting(STEPS)[0])
    results = []
    for in_place in (False, True):
        cache = navicache.enable(lambda x, t: 0.1 * x + 10, **KNOBS)
        outputs = []
        for x, t in zip(inputs, TIMES.tolist(), strict=True):
            output = cache(buffer.copy_(x) if in_place else x, t)
            outputs.append(output.clone())
            output.mul_(0)
        results.append((outputs, [step.computed for step in cache.trace.runs[0].steps]))
    assert results[0][1] == results[1][1]
    assert not all(results[0][1])
    assert all(torch.equal(a, b) for a, b in zip(results[0][0], results[1][0], strict=True))
