"""A mistake is an error that says what to do, and leaves the model uncached and working."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from diffusers import DiffusionPipeline
from tests.integrations.common import REUSING, STEPS, attributes, counted, plain, transformers
from tests.integrations.toys import COND, KNOBS, Toy, ToyModel, denoise
from tests.tiny import TINY
from torch import Tensor, nn

import navicache
from navicache.policies import NaviCache

NAN = float("nan")
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "negative threshold": ({"threshold": -0.1}, "threshold must be zero or more"),
    "NaN threshold": ({"threshold": NAN}, "threshold must be zero or more"),
    "text for threshold": ({"threshold": "0.05"}, "threshold"),
    "mode": ({"mode": "turbo"}, "unknown mode 'turbo'; known: fast, mid, slow"),
    "mode of another policy": ({"policy": "easycache", "mode": "fast"}, "no 'fast' setting"),
    "policy": ({"policy": "teacash"}, "unknown policy 'teacash'; known: navicache"),
    "policy that is none": ({"policy": 42}, "policy"),
    "policy class": ({"policy": NaviCache}, "policy"),
    "knob": ({"treshold": 0.1}, "did you mean 'threshold'"),
    "align_steps 0": ({"speedup": 2.0, "align_steps": 0}, "align_steps must be 2 or more"),
    "steps 0": ({"steps": 0}, "steps must be"),
    "mode and policy": ({"policy": NaviCache(), "mode": "fast"}, "leave out mode"),
    "knobs and policy": ({"policy": NaviCache(), "threshold": 0.1}, "leave out threshold"),
    "latent argument": ({"call": navicache.CallSpec(latent="image")}, "latent='image'.* names no argument"),
    "time argument": ({"call": navicache.CallSpec(time="when")}, "time='when'.* names no argument"),
    "conditioning argument": ({"call": navicache.CallSpec(conditioning=("text",))}, "text.* names no argument"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("name", ["wan", "wan22"])
def test_wrong_settings(name: str, case: str) -> None:
    pipe = TINY[name].build()
    before = attributes(pipe)
    knobs, message = WRONG[case]
    with pytest.raises((ValueError, TypeError), match=message):
        navicache.enable(pipe, **knobs)
    assert attributes(pipe) == before


def test_after_a_mistake_the_pipeline_works_and_can_be_cached() -> None:
    pipe = TINY["wan"].build()
    with pytest.raises(ValueError, match="unknown mode"):
        navicache.enable(pipe, mode="turbo")
    with counted(pipe) as calls:
        assert torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan"))
    assert len(calls) == 2 * STEPS
    with navicache.enable(pipe, **REUSING):
        assert not torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan"))


@pytest.mark.parametrize("target", [None, 3, "pipe", [1], {}, object()], ids=lambda target: type(target).__name__)
def test_a_target_that_cannot_be_called(target: Any) -> None:
    with pytest.raises(TypeError, match="pass a diffusers pipeline, a module or a function"):
        navicache.enable(target)


def test_a_pipeline_without_a_denoiser() -> None:
    class Odd(DiffusionPipeline):
        def __init__(self, brain: nn.Module) -> None:
            super().__init__()
            self.register_modules(brain=brain)

    with pytest.raises(ValueError, match=r"no denoiser: .* it has: brain. Pass the model itself"):
        navicache.enable(Odd(nn.Linear(1, 1)))
    navicache.enable(Odd(ToyModel()), **KNOBS).disable()  # found by what its forward takes


def test_a_function_without_a_latent_argument() -> None:
    with pytest.raises(ValueError, match=r"which argument is the latent among \(apples, pears\).*CallSpec\(latent="):
        navicache.enable(lambda apples, pears: apples)


class Returns(nn.Module):
    """Gives back whatever it was told to."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result

    def forward(self, x: Tensor, t: float) -> Any:
        return self.result


@pytest.mark.parametrize(
    "result", ["text", 7, None, ("text", 7), {"a": 1}, [], {}], ids=lambda target: repr(target).split(" at ")[0]
)
def test_a_model_that_returns_no_tensor(result: Any) -> None:
    module = Returns(result)
    navicache.enable(module, **KNOBS)
    with pytest.raises(TypeError, match=r"returned .* no tensor to cache.*CallSpec\(output="):
        module(torch.zeros(1, 4), 1.0)
    assert "forward" not in vars(module)
    assert module(torch.zeros(1, 4), 1.0) is result


@pytest.mark.parametrize(
    ("place", "result"),
    [
        ("velocity", {"sample": torch.ones(1, 4)}),
        (3, (torch.ones(1, 4),)),
        (1, (torch.ones(1, 4), "text")),
        ("velocity", (torch.ones(1, 4),)),
    ],
)
def test_an_output_that_is_not_where_it_was_said_to_be(place: Any, result: Any) -> None:
    module = Returns(result)
    navicache.enable(module, call=navicache.CallSpec(output=place), **KNOBS)
    with pytest.raises(TypeError, match=r"CallSpec\(output="):
        module(torch.zeros(1, 4), 1.0)
    assert "forward" not in vars(module)
    assert module(torch.zeros(1, 4), 1.0) is result


def test_a_latent_that_is_no_tensor() -> None:
    module = Returns(torch.ones(1, 4))
    navicache.enable(module, **KNOBS)
    with pytest.raises(TypeError, match=r"the latent argument 'x' is str.*CallSpec\(latent="):
        module("a cat", 1.0)
    assert "forward" not in vars(module)


@pytest.mark.parametrize("shape", [(1, 5, 7), (1, 2, 3, 4), (2, 4)])
def test_an_output_of_another_shape(shape: tuple[int, ...]) -> None:
    module = Returns(torch.ones(shape))
    navicache.enable(module, **KNOBS)
    with pytest.raises(TypeError, match=r"CallSpec|rows"):
        module(torch.zeros(1, 4), 1.0)
    assert module(torch.zeros(1, 4), 1.0) is module.result


def test_a_failing_diffusers_model_is_left_uncached() -> None:
    model = ToyModel()
    cache = navicache.enable(model, call=navicache.CallSpec(output="velocity"), **KNOBS)
    before = {"forward", "_diffusers_hook"} & set(vars(ToyModel()))
    with pytest.raises(TypeError, match=r"CallSpec\(output="):
        model(torch.zeros(1, 4, 6), torch.tensor([1.0]), torch.ones(1, 3, 5))
    assert {"forward", "_diffusers_hook"} & set(vars(model)) == before
    calls = list(denoise(model, lambda step: [COND]))
    assert all(call.computed for call in calls)
    cache.disable()


@pytest.mark.parametrize("name", ["wan", "wan22"])
def test_enabling_a_pipeline_twice(name: str) -> None:
    pipe = TINY[name].build()
    before = attributes(pipe)
    first = navicache.enable(pipe, **REUSING)
    for target in (pipe, transformers(pipe)[-1]):
        with pytest.raises(ValueError, match=r"cached already: call disable\(\)"):
            navicache.enable(target, threshold=0.1)
    TINY[name].call(pipe, steps=STEPS)
    assert len(first.trace.runs) == len(transformers(pipe))  # the first cache is still the one that works
    first.disable()
    assert attributes(pipe) == before
    assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))


def test_enabling_half_of_a_pipeline_first() -> None:
    pipe = TINY["wan22"].build()
    before = attributes(pipe)
    half = navicache.enable(pipe.transformer_2, **REUSING)
    with pytest.raises(ValueError, match="cached already"):
        navicache.enable(pipe, **REUSING)
    half.disable()
    assert attributes(pipe) == before


def test_enabling_a_module_twice() -> None:
    toy = Toy()
    cache = navicache.enable(toy, **KNOBS)
    with pytest.raises(ValueError, match=r"cached already: call disable\(\)"):
        navicache.enable(toy, **KNOBS)
    cache.disable()
    assert "forward" not in vars(toy)


@pytest.mark.parametrize("make", [Toy, ToyModel])
def test_disable_without_the_handle(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    model = make()
    navicache.disable(model)  # nothing there yet
    with caplog.at_level(logging.ERROR):
        navicache.enable(model, **KNOBS)
    navicache.disable(model)
    assert "forward" not in vars(model)
    assert all(call.computed for call in denoise(model, lambda step: [COND]))
