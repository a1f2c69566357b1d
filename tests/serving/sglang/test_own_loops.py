"""SGLang's stages with loops of their own, on stand-ins: cached as asked, or plain with a warning."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.serving.sglang.own_stages import CosmosStage, H3Stage, HeliosStage, IdeogramStage
from tests.serving.sglang.standin import Field, Req, Stage, put_around
from torch import Tensor

from navicache_serving.sglang.all_hooks import build_hooks
from navicache_serving.sglang.helios import HELIOS_STAGE
from navicache_serving.sglang.hooks import STAGE_CLASS
from navicache_serving.sglang.own_loops import COSMOS_STAGE, H3_STAGE, IDEOGRAM_STAGE
from navicache_serving.sglang.plain_requests import EXECUTOR_CLASS

STAGES: dict[str, tuple[Callable[[], Any], str, int]] = {  # with the calls of a plain run of 20 steps
    "cosmos": (CosmosStage, COSMOS_STAGE, 40),
    "h3": (H3Stage, H3_STAGE, 20),
    "ideogram": (IdeogramStage, IDEOGRAM_STAGE, 40),
    "helios": (HeliosStage, HELIOS_STAGE, 80),
    "helios, two sizes": (lambda: HeliosStage(pyramid=True), HELIOS_STAGE, 160),
}
ASKED = {"speedup": 2.0}


def hooked(name: str, server: Any = None) -> Any:
    make, path, _ = STAGES[name]
    stage = make()
    paths = (path, STAGE_CLASS) if isinstance(stage, Stage) else (path,)
    return put_around(stage, build_hooks(lambda: stage.context, lambda: None, server), *paths)


def count_calls(stage: Any) -> int:
    models = (stage.transformer, getattr(stage, "transformer_2", None))
    return sum(len(model.calls) for model in models if model is not None)


def served(name: str, batch: Req, server: Any = None) -> tuple[Tensor, int]:
    stage = hooked(name, server)
    return stage(batch), count_calls(stage)


@pytest.mark.parametrize("name", STAGES)
def test_half_of_the_steps_are_computed(name: str) -> None:
    latents, calls = served(name, Req().asking(ASKED))
    exact = STAGES[name][0]()(Req())
    assert calls == STAGES[name][2] // 2
    assert torch.allclose(latents, exact, rtol=0.1, atol=0.1) and not torch.equal(latents, exact)


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("asked", [None, False, {"speedup": 1}])
def test_off_is_bit_exact(name: str, asked: Any) -> None:
    latents, calls = served(name, Req().asking(asked))
    assert calls == STAGES[name][2] and torch.equal(latents, STAGES[name][0]()(Req()))


@pytest.mark.parametrize("name", STAGES)
def test_nothing_is_left_behind(name: str) -> None:
    stage, batch = hooked(name), Req().asking(ASKED)
    model, alone = stage.transformer, stage(batch)
    assert not [key for key in batch.extra if "run" in key]
    stage(Req(steps=9).asking(ASKED))
    assert stage.transformer is model and "forward" not in vars(model)
    assert torch.equal(stage(Req().asking(ASKED)), alone)


def test_a_helios_chunk_that_fails_restores_the_stage() -> None:
    stage, batch = hooked("helios"), Req(stop_after=8).asking(ASKED)
    with pytest.raises(RuntimeError, match="stopped"):
        stage(batch)
    assert stage.transformer is stage.model and list(batch.extra) == ["diffusers_kwargs"]


@pytest.mark.parametrize("name", STAGES)
def test_wrong_settings_are_refused_before_the_first_step(name: str) -> None:
    stage = hooked(name)
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        stage(Req().asking({"sped_up": 2}))
    assert not count_calls(stage)


def test_the_branches_of_ideogram_take_the_same_decisions() -> None:
    stage = hooked("ideogram")
    stage(Req().asking({"max_error": 0.02}))
    assert stage.transformer.calls == stage.transformer_2.calls and 2 < len(stage.transformer.calls) < 20


def test_h3s_own_cache_excludes_this_one() -> None:
    assert served("h3", Req(quality="high"), ASKED)[1] == 20
    with pytest.raises(ValueError, match="quality 'high' too: ask for one cache"):
        served("h3", Req(quality="high").asking(ASKED))
    assert served("cosmos", Req(quality="high"), ASKED)[1] == 20  # of 40: elsewhere it is no cache


class Executor:
    """Runs the stages of a pipeline, as SGLang's executors do."""

    def execute_with_profiling(self, stages: list[Any], batch: Req, server_args: Any) -> Req:
        return execute(stages, batch)

    def execute_group_with_profiling(self, stages: list[Any], batches: list[Req], server_args: Any) -> list[Req]:
        return [execute(stages, batch) for batch in batches]

    def execute_group_sequentially_with_profiling(self, stages: Any, batches: Any, server_args: Any) -> Any:
        yield from (execute(stages, batch) for batch in batches)


def execute(stages: list[Any], batch: Req) -> Req:
    for stage in stages:
        stage(batch)
    return batch


class OwnLoop(Stage):
    """A stage that this plug-in does not know."""

    def __call__(self, batch: Req) -> None:
        self.transformer(torch.zeros(1, 4, 3, 8, 8), torch.ones(1), 1.0)


def executed(stages: list[Any], server: Any, *batches: Req, role: str = "MONOLITHIC") -> None:
    """Run a pipeline: request by request, then the requests as a group, then as a sequence."""
    hooks = build_hooks(lambda: stages[-1].context, lambda: None, server)
    executor, args = put_around(Executor(), hooks, EXECUTOR_CLASS), SimpleNamespace(disagg_role=SimpleNamespace())
    args.disagg_role.name = role
    for stage in stages:
        put_around(stage, hooks, STAGE_CLASS)
    for batch in batches:
        executor.execute_with_profiling(stages, batch, args)
    executor.execute_group_with_profiling(stages, [*batches], args)
    assert len([*executor.execute_group_sequentially_with_profiling(stages, [*batches], args)]) == len(batches)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_a_loop_that_is_not_known_is_never_silently_plain(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="sglang.navicache"):
        executed([OwnLoop(Field())], ASKED, Req(), Req())
    (warning,) = warnings(caplog)
    assert "nothing was cached: every step was computed" in warning and "OwnLoop" in warning
    assert len(caplog.records) == 4  # two requests, a group and a sequence: each is told, the first as a warning


@pytest.mark.parametrize(
    ("stage", "server", "batch", "role"),
    [
        (Stage, ASKED, Req(), "MONOLITHIC"),
        (OwnLoop, None, Req(), "MONOLITHIC"),
        (OwnLoop, ASKED, Req(is_warmup=True), "MONOLITHIC"),
        (OwnLoop, ASKED, Req(), "ENCODER"),  # the loop is in another process
    ],
)
def test_there_is_no_warning_without_a_reason(
    caplog: pytest.LogCaptureFixture, stage: type[Stage], server: Any, batch: Req, role: str
) -> None:
    executed([stage(Field())], server, batch, role=role)
    assert not warnings(caplog)


def test_wrong_settings_are_refused_before_the_pipeline_runs() -> None:
    stage = OwnLoop(Field())
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        executed([stage], None, Req().asking({"sped_up": 2}))
    assert not stage.transformer.calls
