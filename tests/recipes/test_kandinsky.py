"""Kandinsky 6 around a stand-in of its network: its own `navicache` and ours side by side, and its own loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.loops import COND, UNCOND, guided, kandinsky, text
from tests.recipes.promises import Generate, assert_halves, counted
from tests.recipes.stand_ins import DiffusionTransformer3D, noise
from torch import Tensor

import navicache

pytestmark = pytest.mark.recipes

STEPS = 50
BARE = ("kandinsky", "kandinsky.runtime")
LOOP = ("kandinsky", "kandinsky.core", "kandinsky.core.algo")
NOT_STORED = tuple(f"kandinsky.core.algo.{name}" for name in ("flow_matching", "guidance", "prepare_ropes"))
NOT_NEEDED = ("kandinsky.runtime.base", "kandinsky.runtime.cache.magcache")


def theirs(dit: DiffusionTransformer3D, generate: Callable[[Any], Tensor], **knobs: float) -> tuple[list[int], Tensor]:
    """The steps that their rule computes, and what it makes."""
    cached = load("kandinsky.runtime.cache", *NOT_NEEDED).CacheDiT(dit)
    cached.set_cache("navicache", num_steps=STEPS, **knobs)
    computed: list[int] = []
    with counted(dit.core) as calls:
        made = generate(lambda **call: _noted(cached, calls, computed, call))
    return computed[::2], made


def _noted(cached: Any, calls: list[int], computed: list[int], call: dict[str, Any]) -> Any:
    before, step = len(calls), STEPS - round(float(call["time"][0]) * STEPS / 1000)
    out = cached(**call)
    computed += [step] * (len(calls) > before)
    return out


def ours(dit: DiffusionTransformer3D, generate: Callable[[Any], Tensor], **knobs: float) -> tuple[list[int], Tensor]:
    cache = navicache.enable(dit, "navicache", steps=STEPS, **knobs)
    made = generate(dit)
    cache.disable()
    return list(cache.trace.runs[-1].computed_steps()), made


@pytest.mark.parametrize("threshold", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_decisions(threshold: float, seed: int) -> None:
    """Sound that repeats the video leaves their joint mean what ours is: every decision must agree."""
    with opened(checkout("kandinsky6"), *BARE):
        dit = DiffusionTransformer3D(sound=False)
        one, left = theirs(dit, lambda call: kandinsky(call, seed, STEPS), thresh=threshold)
        two, right = ours(dit, lambda call: kandinsky(call, seed, STEPS), threshold=threshold)
        assert one == two
        assert 10 < len(two) < STEPS
        assert torch.allclose(left, right, rtol=1e-4, atol=1e-5)


def test_their_front_is_called_as_the_network() -> None:
    with opened(checkout("kandinsky6"), *BARE):
        front = load("kandinsky.runtime.cache", *NOT_NEEDED).CacheDiT
        assert same_arguments(front._navicache_forward, DiffusionTransformer3D.forward)


def embeds(value: float) -> dict[str, Tensor]:
    return {"text_embeds": text(value)[None], "pooled_embed": text(value)[:1]}


def loop(dit: DiffusionTransformer3D, sound: bool, nulls: bool, guidance: float, image: bool) -> Generate:
    """Their `denoise_loop`; three modules it imports could not be had, and two functions of them are ours."""
    code = load("kandinsky.core.algo.denoise_loop", *NOT_STORED)
    code.flow_match_timesteps = lambda steps, scale, device: torch.linspace(1, 0, steps + 1)
    code.apply_cfg = lambda cond, uncond, weight: guided(cond, uncond) if weight != 1 else cond
    bounds, rope = torch.tensor([0, 3]), torch.ones(3, 2)
    null: Any = [embeds(UNCOND), embeds(UNCOND)] if nulls else embeds(UNCOND)
    frames = noise(9, 1, 6, 8, 4) if image else None

    def generate(seed: int) -> Tensor:
        heard = (noise(seed + 5, 1, 7, 6), torch.tensor([0, 7])) if sound else (None, None)
        bundle = code.LatentBundle(noise(seed, 1, 3, 6, 8, 4), heard[0], bounds, heard[1])
        ropes = (torch.ones(3, 6, 8, 2), None, rope, [rope, rope] if nulls else rope)
        return code.denoise_loop(bundle, dit, embeds(COND), null, *ropes, 20, guidance, 5.0, first_frames=frames).video

    return generate


@pytest.mark.parametrize("image", [False, True], ids=["text", "image"])
@pytest.mark.parametrize(
    ("sound", "nulls", "guidance"),
    [(True, True, 5.0), (True, False, 5.0), (False, False, 5.0), (True, False, 1.0)],
    ids=["a null for each", "sound", "video alone", "one branch"],
)
def test_their_loop(sound: bool, nulls: bool, guidance: float, image: bool) -> None:
    with opened(checkout("kandinsky6"), *LOOP):
        dit = DiffusionTransformer3D()
        dit.visual_cond = image
        generate = loop(dit, sound, nulls, guidance, image)
        assert_halves(generate, {dit: 20}, lambda model: model.core, branches=1 if guidance == 1 else 2)
