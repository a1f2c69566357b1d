"""Which models of a pipeline are cached, and what is said of the others."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import diffusers
import pytest
import torch
from diffusers import DiffusionPipeline, FlowMatchEulerDiscreteScheduler
from tests.integrations.toys import ToyModel
from torch import Tensor, nn

import navicache
from navicache.integrations.denoiser_search import explain_uncached_models, find_denoisers, is_denoiser


class Control(nn.Module):
    """Called at every step with the latent, as a ControlNet is; what it returns goes into the denoiser."""

    def forward(self, hidden_states: Tensor, timestep: Tensor, conditioning_scale: float = 1.0) -> Tensor:
        return conditioning_scale * hidden_states


class Odd(nn.Module):
    """Takes a time, and nothing that is called like a latent."""

    def forward(self, tokens: Tensor, timestep: Tensor) -> Tensor:
        return tokens


class TwoModels(DiffusionPipeline):
    """A model for each branch of the guidance, as Ideogram 4 has them."""

    def __init__(self, transformer: Any, unconditional_transformer: Any, scheduler: Any, controlnet: Any) -> None:
        super().__init__()
        parts = {"transformer": transformer, "unconditional_transformer": unconditional_transformer}
        self.register_modules(**parts, scheduler=scheduler, controlnet=controlnet)

    @torch.no_grad()
    def __call__(self, steps: int = 16) -> Tensor:
        x = torch.randn(1, 4, 6, generator=torch.Generator().manual_seed(0))
        self.scheduler.set_timesteps(steps)
        for time in self.scheduler.timesteps:
            texts = (torch.ones(1, 3), torch.zeros(1, 3))
            models = (self.transformer, self.unconditional_transformer)
            calls = zip(models, texts, strict=True)
            with_text, without = (model(x, time, text, return_dict=False)[0] for model, text in calls)
            x = self.scheduler.step(2 * with_text - without, time, x, return_dict=False)[0]
        return x


def pipeline(**components: Any) -> Any:
    return SimpleNamespace(components=components)


def test_known_names_come_first_then_those_that_take_latent_and_time() -> None:
    one, two, other = nn.Linear(1, 1), nn.Linear(1, 1), ToyModel()
    parts = {"vae": nn.Identity(), "refiner": other, "transformer_2": two, "transformer": one, "unet": None}
    found = find_denoisers(pipeline(**parts, prior="no", controlnet=Control()))
    assert list(found.items()) == [("transformer", one), ("transformer_2", two), ("refiner", other)]


def test_a_pipeline_without_one_says_what_it_has() -> None:
    with pytest.raises(ValueError, match=r"has no denoiser: .*; it has: vae\. Pass the model itself"):
        find_denoisers(pipeline(vae=nn.Identity(), tokenizer="words"))


@pytest.mark.parametrize("kind", ["MiniMaxH3Transformer3DModel", "Ideogram4Transformer2DModel", "StableCascadeUNet"])
def test_models_that_diffusers_calls_otherwise(kind: str) -> None:
    """`transformer_ref`, `unconditional_transformer` and `decoder` of its pipelines."""
    assert is_denoiser(getattr(diffusers, kind))


@pytest.mark.parametrize("kind", ["ControlNetModel", "ZImageControlNetModel", "AutoencoderKLLTXVideo", "T2IAdapter"])
def test_models_that_are_none(kind: str) -> None:
    assert not is_denoiser(getattr(diffusers, kind))


def test_every_model_of_a_step_is_cached_and_restored() -> None:
    models = ToyModel(), ToyModel()
    pipe = TwoModels(*models, FlowMatchEulerDiscreteScheduler(), None)
    plain = pipe()
    with navicache.enable(pipe, "static", interval=2) as cache:
        pipe()
    assert [run.length for run in cache.trace.runs] == [16, 16]
    assert all(16 < model.calls < 32 for model in models)
    assert torch.equal(pipe(), plain)


def test_what_runs_at_every_step_and_is_not_cached_is_named(caplog: pytest.LogCaptureFixture) -> None:
    pipe = TwoModels(ToyModel(), Odd(), FlowMatchEulerDiscreteScheduler(), Control())
    with caplog.at_level(logging.WARNING, "navicache"), navicache.enable(pipe, speedup=2.0) as cache:
        said = "\n".join(cache.notes)
    assert "unconditional_transformer (Odd) is not cached: its forward takes a time" in said
    assert "enable(pipe.unconditional_transformer, call=CallSpec(latent=...))" in said
    assert "controlnet (Control) is not cached and runs at every step" in said
    assert [record.getMessage() for record in caplog.records] == list(cache.notes)


def test_nothing_is_said_of_a_model_that_was_asked_for_alone() -> None:
    assert explain_uncached_models(pipeline(transformer=ToyModel(), vae=nn.Identity(), text_encoder=None)) == ()
    assert navicache.enable(ToyModel(), speedup=2.0).notes == ()
