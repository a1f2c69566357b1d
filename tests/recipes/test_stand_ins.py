"""The recipes on stand-ins: one line, half of the steps, branches and runs apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from tests.recipes import loops
from tests.recipes.loops import STEPS
from tests.recipes.promises import assert_halves, assert_runs, counted
from tests.recipes.stand_in_function import Dit, model_fn_wan_video
from tests.recipes.stand_ins import (
    DiffusionTransformer3D,
    HunyuanVideo15Transformer,
    HunyuanVideoTransformer3DModelPacked,
    HYVideoDiffusionTransformer,
    MMDiTModel,
    MusubiWanModel,
    StandIn,
    WanModel21,
    WanModel22,
)
from torch import Tensor

import navicache
from navicache.engine import CallReader
from navicache.integrations.attachments import get_forward_signature
from navicache.models import find_model

CONTEXT = ("context", "clip_fea", "y")
PLACES: list[tuple[type[StandIn], str, str, tuple[str, ...]]] = [
    (WanModel21, "x", "t", CONTEXT),
    (WanModel22, "x", "t", ("context", "y")),
    (MusubiWanModel, "x", "t", CONTEXT),
    (HYVideoDiffusionTransformer, "x", "t", ("text_states", "text_states_2")),
    (HunyuanVideo15Transformer, "hidden_states", "timestep", ("text_states", "text_states_2")),
    (DiffusionTransformer3D, "x_video", "time", ("text_embed", "pooled_text_embed")),
    (MMDiTModel, "img", "timesteps", ("txt", "y_vec")),
    (
        HunyuanVideoTransformer3DModelPacked,
        "hidden_states",
        "timestep",
        ("encoder_hidden_states", "pooled_projections"),
    ),
]
ONE_MODEL: dict[str, tuple[type[StandIn], Callable[[Any, int], Tensor], int]] = {
    "Wan 2.1": (WanModel21, loops.wan, 2),
    "Wan 2.2 TI2V": (WanModel22, loops.wan_tokens, 2),
    "musubi-tuner": (MusubiWanModel, loops.wan, 2),
    "HunyuanVideo": (HYVideoDiffusionTransformer, loops.hunyuan, 1),
    "HunyuanVideo 1.5": (HunyuanVideo15Transformer, loops.hunyuan15, 1),
    "Open-Sora 2.0": (MMDiTModel, loops.opensora, 1),
    "Kandinsky 6": (DiffusionTransformer3D, loops.kandinsky, 2),
}


@pytest.mark.parametrize(("kind", "latent", "time", "conditioning"), PLACES)
def test_places(kind: type[StandIn], latent: str, time: str, conditioning: tuple[str, ...]) -> None:
    found = CallReader(find_model(kind.__name__).call, get_forward_signature(kind())).argument_keys
    assert found == {"latent": (latent,), "time": (time,), "conditioning": conditioning}


@pytest.mark.parametrize("name", ONE_MODEL)
def test_one_model(name: str) -> None:
    kind, loop, branches = ONE_MODEL[name]
    model = kind()
    assert_halves(partial(loop, model), {model: STEPS}, lambda m: m.core, branches)


@pytest.mark.parametrize("name", ONE_MODEL)
def test_near_the_plain_generation(name: str) -> None:
    """A prediction from the other branch would be off by more than the whole."""
    kind, loop, _ = ONE_MODEL[name]
    model = kind()
    plain = loop(model, 0)
    with navicache.enable(model, speedup=2.0, steps=STEPS):
        cached = loop(model, 0)
    assert (cached - plain).norm() < 0.02 * plain.norm()


def test_sections_are_runs() -> None:
    model = HunyuanVideoTransformer3DModelPacked()
    generate = partial(loops.framepack, model)
    assert_halves(generate, {model: STEPS}, lambda m: m.core, 1, runs_each=loops.SECTIONS)


def test_a_function() -> None:
    dit = Dit()
    plain = loops.diffsynth(dit, model_fn_wan_video, 0)
    cached = navicache.enable(model_fn_wan_video, speedup=2.0, steps=STEPS)
    with counted(dit.core) as calls:
        first, other, again = (loops.diffsynth(dit, cached, seed) for seed in (0, 1, 0))
    assert len(calls) == 3 * STEPS
    assert_runs(cached, [STEPS] * 3, 2)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert (first - plain).norm() < 0.02 * plain.norm()
    cached.disable()
    assert torch.equal(loops.diffsynth(dit, cached, 0), plain)


def test_a_function_is_known_by_its_name() -> None:
    spec = find_model("model_fn_wan_video")
    found = CallReader(spec.call, get_forward_signature(model_fn_wan_video)).argument_keys
    assert found == {"latent": ("latents",), "time": ("timestep",), "conditioning": ("context", "y")}
    assert spec.name == "Wan of an unlisted size"
    note = navicache.enable(model_fn_wan_video, "navicache", steps=STEPS).notes[0]
    assert "a Wan transformer of an unlisted size" in note


def test_two_experts() -> None:
    high, low = WanModel22(), WanModel22()
    assert_halves(partial(loops.wan_experts, high, low, 400), {high: 13, low: 7}, lambda m: m.core)


def test_a_size_is_read_off_a_plain_module() -> None:
    model = WanModel21()
    model.in_dim, model.num_layers = 16, 30
    cache = navicache.enable(model, "navicache", steps=STEPS)
    assert cache.notes == ()  # published for Wan 2.1 T2V-1.3B; of another size the user would be told
    cache.disable()
    model.num_layers = 31
    assert "unlisted size" in navicache.enable(model, "navicache", steps=STEPS).notes[0]
    assert torch.is_tensor(loops.wan(model, 0))
