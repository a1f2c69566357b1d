"""SGLang's hooks on a stand-in: per request, exactly as asked, and nothing stays."""

from __future__ import annotations

import gc
import logging
import weakref
from typing import Any

import pytest
import torch
from tests.serving.sglang.standin import Field, Req, Stage, hooked
from torch import Tensor


def served(batch: Req, server: Any = None, **models: Any) -> tuple[Tensor, int]:
    """The latents, and how many calls of the model they took."""
    stage = hooked(Stage(models.get("transformer") or Field(), models.get("transformer_2")), server)
    latents = stage(batch)
    return latents, sum(len(model.calls) for model in (stage.transformer, stage.transformer_2) if model is not None)


def plain(batch: Req) -> Tensor:
    return Stage(Field())(batch)


@pytest.mark.parametrize(("asked", "calls"), [({"speedup": 2.0}, 20), ({"speedup": 2.5}, 16), (True, 20)])
def test_a_request_gets_the_speed_up_it_asks_for(asked: Any, calls: int) -> None:
    latents, made = served(Req().asking(asked))
    assert made == calls  # of 40: two guidance branches
    assert torch.allclose(latents, plain(Req()), rtol=0.05, atol=0.05)
    assert not torch.equal(latents, plain(Req()))


@pytest.mark.parametrize("asked", [None, False, {"speedup": 1}])
def test_off_is_bit_exact(asked: Any) -> None:
    latents, made = served(Req().asking(asked))
    assert made == 40 and torch.equal(latents, plain(Req()))


def test_the_request_counts_more_than_the_server() -> None:
    server = {"speedup": 2.0}
    assert served(Req(), server)[1] == 20
    assert served(Req().asking(False), server)[1] == 40
    assert served(Req(enable_teacache=True), server)[1] == 40
    assert served(Req(is_warmup=True), server)[1] == 40


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"speedup": 0.5}, "speedup"),
        ({"sped_up": 2}, "did you mean 'speedup'"),
        ({"policy": "nobody"}, "nobody"),
        ({"policy": 3}, "must be a name"),
        ({"policy": "teacache"}, "reaches inside"),
        ({"speedup": "two"}, "speedup"),
        ("fast", "give settings"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_step(asked: Any, why: str) -> None:
    model = Field()
    with pytest.raises(ValueError, match=why):
        hooked(Stage(model))(Req().asking(asked))
    assert not model.calls


def test_two_caches_in_one_request_are_refused() -> None:
    with pytest.raises(ValueError, match="ask for one cache"):
        served(Req(enable_teacache=True).asking({"speedup": 2.0}))


def test_requests_of_many_kinds_follow_each_other_and_each_begins_anew() -> None:
    model = Field()
    stage = hooked(Stage(model))
    alone = served(Req(steps=30).asking({"speedup": 2.0}))[0]
    for batch in (Req(steps=50), Req(steps=4), Req(steps=20, batch=3), Req(steps=24, guidance=False)):
        stage(batch.asking({"speedup": 2.0}))
    with pytest.raises(RuntimeError, match="stopped"):
        stage(Req(steps=30, stop_after=13).asking({"speedup": 2.0}))
    assert torch.equal(stage(Req(steps=30).asking({"speedup": 2.0})), alone)


def test_nothing_is_left_behind_whatever_happens() -> None:
    model = Field()
    stage, batch = hooked(Stage(model)), Req(stop_after=9).asking({"speedup": 2.0})
    with pytest.raises(RuntimeError, match="stopped"):
        stage(batch)
    assert list(batch.extra) == ["diffusers_kwargs"]
    gone = weakref.ref(stage(Req().asking({"speedup": 2.0})))
    gc.collect()
    assert gone() is None


def test_two_requests_that_take_turns_do_not_meet() -> None:
    alone = served(Req().asking({"speedup": 2.0}))[0]
    stage = hooked(Stage(Field()))
    inner = Req(steps=30).asking({"speedup": 2.0})

    class Interrupting(Field):
        def forward(self, hidden_states: Tensor, timestep: Tensor, pull: float) -> Tensor:
            if len(self.calls) == 6:
                hooked(Stage(Field()))(inner)
            return super().forward(hidden_states, timestep, pull)

    stage.transformer = Interrupting()
    assert torch.equal(stage(Req().asking({"speedup": 2.0})), alone)


def test_each_of_two_experts_has_its_own_course() -> None:
    latents, made = served(Req(steps=40).asking({"speedup": 2.0}), transformer=Field(), transformer_2=Field(0.4))
    exact = Stage(Field(), Field(0.4))(Req(steps=40))
    assert 40 <= made <= 48  # of 80: the second begins anew in mid-run
    assert torch.allclose(latents, exact, rtol=0.05, atol=0.05)


def test_samples_of_a_batch_are_computed_together() -> None:
    model = Field()
    latents = hooked(Stage(model))(Req(batch=3).asking({"max_error": 0.02}))
    assert 0 < len(model.calls) < 40
    assert torch.allclose(latents, plain(Req(batch=3)), rtol=0.05, atol=0.05)


def test_a_second_call_of_a_branch_in_its_step_is_another_stream() -> None:
    class Thrice(Stage):
        def _branch(self, *args: Any) -> Tensor:
            first = super()._branch(*args)
            super()._branch(*args[:-1], args[-1] * 3)
            return first

    model = Field()
    latents = hooked(Thrice(model))(Req().asking({"speedup": 2.0}))
    assert len(model.calls) == 40  # of 80
    assert torch.allclose(latents, plain(Req()), rtol=0.05, atol=0.05)


def test_a_model_that_does_not_fit_is_run_at_every_step(caplog: pytest.LogCaptureFixture) -> None:
    class Doubling(Stage):
        def _predict_noise(self, current_model: Any, latent_model_input: Tensor, timestep: Tensor, **kw: Any) -> Any:
            return super()._predict_noise(current_model, latent_model_input, timestep, **kw).repeat(2, 1, 1, 1, 1)

        def _branch(self, *args: Any) -> Tensor:
            return super()._branch(*args)[:1]

    model = Field()
    with caplog.at_level(logging.INFO, logger="sglang.navicache"):
        hooked(Doubling(model))(Req().asking({"speedup": 2.0}))
    assert len(model.calls) == 40 and "nothing is cached" in caplog.text


def test_the_log_says_what_it_came_to(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="sglang.navicache"):
        served(Req().asking({"speedup": 2.0}))
    assert "10 of 20" in caplog.text
