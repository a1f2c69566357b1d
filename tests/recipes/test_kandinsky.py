"""Kandinsky 6: its network with tiny random weights and its loop; its own `navicache` and ours side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.kandinsky_network import BARE, generation, network
from tests.recipes.loops import kandinsky
from tests.recipes.promises import assert_halves, counted
from tests.recipes.stand_ins import DiffusionTransformer3D
from torch import Tensor

import navicache
from navicache.engine import CallReader
from navicache.integrations.attachments import get_forward_signature
from navicache.models import find_model

pytestmark = pytest.mark.recipes

STEPS = 50
Generate = Callable[[int, Any], Tensor]  # a seed and what is called as the network in, the latents out


def theirs(dit: Any, generate: Generate, seed: int, **knobs: float) -> tuple[list[int], Tensor]:
    """The steps that their rule computes, and what it makes."""
    front = load("kandinsky.runtime.cache").CacheDiT(dit)
    front.set_cache("navicache", num_steps=STEPS, **knobs)
    with counted(front) as asked:
        computed: list[int] = []
        hook = dit.register_forward_pre_hook(lambda *_: computed.append((len(asked) - 1) // 2))
        made = generate(seed, front)
        hook.remove()
    return computed[::2], made


def ours(dit: Any, generate: Generate, seed: int, **knobs: float) -> tuple[list[int], Tensor]:
    cache = navicache.enable(dit, "navicache", steps=STEPS, **knobs)
    made = generate(seed, dit)
    cache.disable()
    return list(cache.trace.runs[-1].computed_steps()), made


@pytest.mark.parametrize("threshold", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_decisions(threshold: float, seed: int) -> None:
    """Sound that stays as it is takes the same share of each of their means: every decision must agree."""
    with opened(checkout("kandinsky6"), *BARE):
        dit = network(silent=True)
        generate = generation(dit, STEPS)
        one, left = theirs(dit, generate, seed, thresh=threshold)
        two, right = ours(dit, generate, seed, threshold=threshold)
        assert one == two
        assert 10 < len(two) < STEPS
        assert torch.equal(left, right)


def test_their_decisions_follow_the_sound_too() -> None:
    with opened(checkout("kandinsky6"), *BARE):
        dit = network()
        generate = generation(dit, STEPS)
        one, left = theirs(dit, generate, 2, thresh=0.05)
        two, right = ours(dit, generate, 2, threshold=0.05)
        assert one != two
        assert (left - right).norm() < 0.01 * left.norm()


@pytest.mark.parametrize("threshold", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_decisions_around_a_stand_in(threshold: float, seed: int) -> None:
    """Sound that repeats the video leaves their joint mean what ours is."""
    with opened(checkout("kandinsky6"), *BARE):
        dit = DiffusionTransformer3D(sound=False)
        one, left = theirs(dit, _repeated, seed, thresh=threshold)
        two, right = ours(dit, _repeated, seed, threshold=threshold)
        assert one == two
        assert 10 < len(two) < STEPS
        assert torch.allclose(left, right, rtol=1e-4, atol=1e-5)


def _repeated(seed: int, called: Any) -> Tensor:
    return kandinsky(called, seed, STEPS)


@pytest.mark.parametrize("sound", [True, False], ids=["with sound", "without"])
def test_the_network_is_known(sound: bool) -> None:
    with opened(checkout("kandinsky6"), *BARE):
        dit = network(sound)
        front = load("kandinsky.runtime.cache").CacheDiT
        assert same_arguments(type(dit).forward, DiffusionTransformer3D.forward)
        assert same_arguments(front._navicache_forward, type(dit).forward)
        found = CallReader(find_model(type(dit).__name__).call, get_forward_signature(dit)).argument_keys
        assert found == {"latent": ("x_video",), "time": ("time",), "conditioning": ("text_embed", "pooled_text_embed")}


@pytest.mark.parametrize(
    ("network_of_sound", "about"),
    [
        (True, {}),
        (True, {"nulls": True}),
        (True, {"guidance_weight": 1.0}),
        (True, {"sound": False}),
        (False, {"sound": False}),
        (True, {"sample_audio": False}),
        (True, {"image": "pretrain"}),
        (True, {"image": "i2v"}),
        (True, {"image": "tail_cond_first_frame"}),
    ],
    ids=[
        "sound",
        "a null for each",
        "one branch",
        "video alone",
        "no sound",
        "frozen sound",
        "image",
        "image within",
        "image behind",
    ],
)
def test_their_loop(network_of_sound: bool, about: dict[str, Any]) -> None:
    with opened(checkout("kandinsky6"), *BARE):
        dit = network(network_of_sound)
        branches = 1 if "guidance_weight" in about else 2
        assert_halves(generation(dit, 20, **about), {dit: 20}, lambda model: model.visual_embeddings, branches)


def test_nearer_than_fewer_steps() -> None:
    """Ten computed of twenty must be nearer to the twenty than ten plain ones: no prediction is of the other branch."""
    with opened(checkout("kandinsky6"), *BARE):
        dit = network()
        plain, fewer = generation(dit, 20)(0, dit), generation(dit, 10)(0, dit)
        with navicache.enable(dit, steps=20) as cache:
            cached = generation(dit, 20)(0, dit)
        assert cache.trace.runs[-1].computed == 10
        assert (cached - plain).norm() < 0.5 * (fewer - plain).norm()


def test_nothing_told() -> None:
    """The network alone is enough to be known; how many steps there are is not."""
    with opened(checkout("kandinsky6"), *BARE):
        dit = network()
        generate = generation(dit, 20)
        with navicache.enable(dit) as cache, counted(dit.visual_embeddings) as calls:
            first, other, again = generate(0, dit), generate(1, dit), generate(0, dit)
        assert [run.length for run in cache.trace.runs] == [20] * 3
        assert len(calls) == 2 * sum(run.computed for run in cache.trace.runs) < 3 * 2 * 20
        assert torch.equal(first, again)
        assert not torch.equal(first, other)
