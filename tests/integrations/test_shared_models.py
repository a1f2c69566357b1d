"""One cached model in several hands: copies, threads, pipelines that share it, and a pipeline that exchanges it."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, assert_same, fresh, generate, plain
from tests.robustness.stack import SITES, Stack
from tests.tiny import TINY
from torch import Tensor

import navicache
from navicache.engine import SharedModel

LIMIT = 60  # seconds that no test needs
TIMES = [torch.tensor([1000.0 - 200 * step]) for step in range(6)]
CONDITION = torch.ones(1, 3, 2)


class Waiting(Stack):
    """A model whose calls wait to be joined by another thread, if `meet` is set."""

    meet: threading.Barrier | None = None

    def forward(self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor) -> Tensor:
        if self.meet is not None:
            self.meet.wait(LIMIT)
        return super().forward(hidden_states, timestep, encoder_hidden_states)


def run(model: torch.nn.Module) -> Tensor:
    x = torch.ones(1, 5, 2)
    for time in TIMES:
        x = x - 0.1 * model(x, time, CONDITION)
    return x


def enabled(site: str) -> tuple[Waiting, navicache.Cache]:
    model = Waiting()
    return model, navicache.enable(model, **SITES[site], steps=len(TIMES))


def start_inside(model: Waiting) -> Callable[[], list[type[BaseException]]]:
    """Start a run in another thread and wait until it is inside a call; the result lets it end and has its errors."""
    model.meet = inside = threading.Barrier(2)
    errors: list[type[BaseException]] = []

    def call() -> None:
        try:
            run(model)
        except BaseException as error:
            errors.append(type(error))

    def leave() -> list[type[BaseException]]:
        model.meet = None
        inside.wait(LIMIT)
        thread.join(LIMIT)
        assert not thread.is_alive()
        return errors

    thread = threading.Thread(target=call)
    thread.start()
    while inside.n_waiting == 0:
        assert thread.is_alive()
    return leave


@pytest.mark.parametrize("take", [copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("site", ["model", "blocks", "modules"])
def test_a_cached_module_is_not_copied(site: str, take: Any) -> None:
    model, cache = enabled(site)
    for what in (model, cache):
        with pytest.raises(TypeError, match=r"this model is cached, .* call disable\(\) first"):
            take(what)
    cache.disable()
    assert torch.equal(run(copy.deepcopy(model)), run(model))


def test_a_cached_pipeline_is_not_copied() -> None:
    pipe = TINY["wan"].build()
    with navicache.enable(pipe, **REUSING), pytest.raises(TypeError, match="this model is cached"):
        copy.deepcopy(pipe.transformer)
    twin = copy.deepcopy(pipe.transformer)
    with navicache.enable(pipe, **REUSING) as cache, navicache.enable(twin, **REUSING) as other:
        assert_same(generate(cache, "wan", pipe), fresh("wan"))
        assert not other.trace.runs


@pytest.mark.parametrize("site", ["model", "blocks", "modules"])
def test_two_threads_at_once_raise_in_both(site: str) -> None:
    model, cache = enabled(site)
    expected = run(model)
    leave = start_inside(model)
    with pytest.raises(SharedModel, match="another thread is using this cached model"):
        run(model)
    assert leave() == [SharedModel], "the thread that was inside is told as well: its run may be mixed"
    assert torch.equal(run(model), expected), "the next generation starts from nothing"
    cache.disable()
    assert torch.equal(run(model), run(Stack()))


@pytest.mark.parametrize(("end", "told"), [("reset", [SharedModel]), ("disable", [])])  # the rest is computed
def test_a_run_that_another_thread_ends(end: str, told: list[type[BaseException]]) -> None:
    model, cache = enabled("model")
    leave = start_inside(model)
    getattr(cache, end)()
    assert leave() == told


def test_threads_one_after_the_other() -> None:
    model, _ = enabled("model")
    expected, found = run(model), []
    for _ in range(3):
        thread = threading.Thread(target=lambda: found.append(run(model)))
        thread.start()
        thread.join(LIMIT)
    assert len(found) == 3 and all(torch.equal(each, expected) for each in found)


def test_from_pipe_under_a_cache() -> None:
    pipe = TINY["wan"].build()
    with navicache.enable(pipe, **REUSING) as cache:
        other = type(pipe).from_pipe(pipe)
        assert other.transformer is pipe.transformer
        for each in (pipe, other, pipe):
            assert torch.equal(TINY["wan"].call(each, steps=STEPS), fresh("wan").latents)
        with pytest.raises(ValueError, match="this model is cached already"):
            navicache.enable(other)
    assert len(cache.trace.runs) == 3
    assert torch.equal(TINY["wan"].call(other, steps=STEPS), plain("wan"))


def test_an_exchanged_transformer_is_told() -> None:
    pipe, other = TINY["wan"].build(), TINY["wan"].build(seed=1).transformer
    with navicache.enable(pipe, **REUSING) as cache:
        own, pipe.transformer = pipe.transformer, other
        TINY["wan"].call(pipe, steps=STEPS)
        assert not cache.trace.runs and "the pipeline has another transformer since enable" in cache.summary()
        pipe.transformer = torch.compile(own, backend="eager")
        assert "since enable" not in cache.summary()
        pipe.transformer = own
        assert_same(generate(cache, "wan", pipe), fresh("wan"))
        assert "since enable" not in cache.summary()


@pytest.mark.parametrize(("wanted", "noted"), [(True, True), (False, False)])
def test_a_reused_output_has_no_gradient_and_says_so(wanted: bool, noted: bool) -> None:
    cache = navicache.enable(lambda x, t: -2 * x, "static", interval=2, steps=6)
    outputs = [cache(torch.ones(1, 4, requires_grad=wanted) * (10 - t), float(10 - t)) for t in range(6)]
    assert [output.requires_grad for output in outputs] == [wanted and t in (0, 2, 4, 5) for t in range(6)]
    assert ("a gradient was asked for, and reused steps have none" in cache.summary()) == noted
