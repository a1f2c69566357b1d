"""vLLM-Omni's backend on a stand-in: exactly as asked, request by request, and off without a trace."""

from __future__ import annotations

import gc
import logging
import weakref
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from tests.serving.vllm_omni.standin import Field, Pipeline, Staged, backend, request
from torch import Tensor


def served(steps: int = 20, cached: dict[str, Any] | None = None, **pipeline: Any) -> tuple[Tensor, int]:
    """The latents, and how many calls of the model they took."""
    pipe = Pipeline(**pipeline)
    cache = None if cached is None else backend(**cached)
    if cache is not None:
        cache.enable(pipe)
    latents = request(pipe, cache, steps)
    models = [model for model in (pipe.transformer, pipe.transformer_2) if model is not None]
    return latents, sum(len(model.calls) for model in models)


@pytest.mark.parametrize("own", [False, True], ids=["scheduler", "no scheduler"])
@pytest.mark.parametrize(("knobs", "calls"), [({}, 20), ({"speedup": 2.0}, 20), ({"speedup": 2.5}, 16)])
def test_a_server_gets_the_speed_up_it_asks_for(knobs: dict[str, Any], calls: int, own: bool) -> None:
    latents, made = served(cached=knobs, own=own)
    exact, all_calls = served(own=own)
    assert (made, all_calls) == (calls, 40)
    assert torch.allclose(latents, exact, rtol=0.05, atol=0.05) and not torch.equal(latents, exact)


def test_a_speed_up_of_one_attaches_nothing() -> None:
    pipe, cache = Pipeline(), backend(speedup=1)
    cache.enable(pipe)
    assert "forward" not in vars(pipe.transformer)
    assert torch.equal(request(pipe, cache), request(Pipeline(), None))


def test_disable_is_bit_exact_and_leaves_the_instance_as_it_was() -> None:
    pipe, cache = Pipeline(), backend()
    before = [set(vars(each)) for each in (pipe, pipe.transformer)]
    cache.enable(pipe)
    request(pipe, cache)
    cache.disable()
    assert not cache.is_enabled() and [set(vars(each)) for each in (pipe, pipe.transformer)] == before
    assert torch.equal(request(pipe, cache), request(Pipeline(), None))


def test_requests_of_many_kinds_follow_each_other_and_each_begins_anew() -> None:
    pipe, cache = Pipeline(), backend(speedup=2.0)
    cache.enable(pipe)
    alone = request(pipe, cache, 30)
    for steps, call in [(50, {}), (4, {}), (1, {}), (20, {"batch": 3}), (24, {"guidance": False})]:
        request(pipe, cache, steps, **call)
    with pytest.raises(RuntimeError, match="stopped"):
        request(pipe, cache, 30, stop_after=13)
    pipe.transformer.calls.clear()
    assert torch.equal(request(pipe, cache, 30), alone)
    assert len(pipe.transformer.calls) == 30  # of 60


@pytest.mark.parametrize("own", [False, True], ids=["scheduler", "no scheduler"])
def test_a_request_that_names_no_steps_is_cached_as_well(own: bool) -> None:
    pipe, cache = Pipeline(own=own), backend(speedup=2.0)
    cache.enable(pipe)
    first = request(pipe, cache, None)  # the host calls no refresh then
    assert own or len(pipe.transformer.calls) == 30  # of 60
    assert torch.allclose(first, request(Pipeline(), None, None), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("knobs", [{"max_error": 0.02}, {"policy": "navicache", "threshold": 0.05}])
def test_a_wave_of_requests_is_computed_as_a_whole(knobs: dict[str, Any]) -> None:
    pipe, cache, rows = Pipeline(), backend(**knobs), set[int]()
    pipe.transformer.register_forward_pre_hook(lambda _, args: rows.add(args[0].shape[0]))
    cache.enable(pipe)
    latents = request(pipe, cache, batch=3)
    assert rows == {3} and 4 < len(pipe.transformer.calls) < 40
    assert torch.allclose(latents, request(Pipeline(), None, batch=3), rtol=0.05, atol=0.05)


def test_each_of_two_experts_has_its_own_course() -> None:
    latents, made = served(40, {"speedup": 2.0}, transformer_2=Field(0.4))
    exact, _ = served(40, transformer_2=Field(0.4))
    assert 36 <= made <= 48  # of 80: the first leaves its schedule half way, and the second begins its own
    assert torch.allclose(latents, exact, rtol=0.05, atol=0.05)


@pytest.mark.parametrize(
    ("knobs", "why"),
    [
        ({"speedup": 0.5}, "speedup"),
        ({"sped_up": 2}, "did you mean 'speedup'"),
        ({"policy": "nobody"}, "nobody"),
        ({"policy": "teacache"}, "reaches inside"),
        ({"threshold": 10**400}, "zero or more and finite"),  # JSON has no largest number
        ({"mode": []}, "mode must be a name"),
    ],
)
def test_what_is_wrong_is_said_while_the_model_is_loaded(knobs: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        backend(**knobs)


@pytest.mark.parametrize("mode", ["step_execution", "streaming_output"])
def test_step_mode_is_refused_with_its_reason(mode: str) -> None:
    pipe = Pipeline(**{mode: True})
    with pytest.raises(ValueError, match="step execution mixes steps of several requests"):
        backend().enable(pipe)
    assert "forward" not in vars(pipe.transformer)


def test_a_pipeline_without_a_transformer_is_refused() -> None:
    with pytest.raises(ValueError, match="has no transformer or transformer_2"):
        backend().enable(torch.nn.Linear(2, 2))


def test_a_transformer_that_was_exchanged_is_attached_to() -> None:
    pipe, cache = Pipeline(), backend(speedup=2.0)
    cache.enable(pipe)
    before, pipe.transformer = pipe.transformer, Field()
    request(pipe, cache)
    assert len(pipe.transformer.calls) == 20 and "forward" not in vars(before)


def test_the_log_says_what_a_request_came_to(caplog: pytest.LogCaptureFixture) -> None:
    pipe, cache = Pipeline(), backend()
    cache.enable(pipe)
    with caplog.at_level(logging.INFO, logger="vllm_omni.navicache"):
        request(pipe, cache)
        assert caplog.text.count("10 of 20") == 1
        with pytest.raises(RuntimeError, match="stopped"):
            request(pipe, cache, stop_after=13)
    assert caplog.text.count("10 of 20") == 1 and caplog.text.count("stopped before its end") == 1


@pytest.mark.parametrize("kind", [Pipeline, Staged])
@pytest.mark.parametrize("stop_after", [None, 13], ids=["finished", "cancelled"])
def test_a_request_that_is_over_keeps_no_tensor(stop_after: int | None, kind: type[Pipeline]) -> None:
    pipe, cache = kind(), backend(speedup=2.0)
    cache.enable(pipe)
    seen: list[weakref.ref[Tensor]] = []
    pipe.transformer.register_forward_pre_hook(lambda _, args: seen.append(weakref.ref(args[0])))
    with pytest.raises(RuntimeError, match="stopped") if stop_after else nullcontext():
        request(pipe, cache, stop_after=stop_after)
    gc.collect()
    assert len(seen) > 5 and not [each for each in seen if each() is not None]
