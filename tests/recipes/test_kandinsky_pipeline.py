"""Kandinsky 6's pipeline around its own network in half precision; texts, image and pictures are stood in for."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened
from tests.recipes.kandinsky_network import BARE, CHANNELS, FRAMES, HEIGHT, NULL_WORDS, WIDTH, WORDS, embeds, network
from tests.recipes.promises import Generate, assert_halves, counted
from tests.recipes.stand_ins import noise
from torch import Tensor

import navicache

pytestmark = pytest.mark.recipes

NOT_NEEDED = (
    "kandinsky.core.algo.mux",
    "kandinsky.core.algo.piflow_sampler",
    "kandinsky.core.algo.postprocess_audio",
    "kandinsky.core.algo.postprocess_video",
    "kandinsky.core.components.beautifier",
    "kandinsky.pipeline.config",
    "kandinsky.pipeline.reconfigure",
    "kandinsky.runtime.offload",
    "kandinsky.runtime.profile",
)


class Texts:
    """In place of their two text encoders; the last word is padding."""

    def encode(self, captions: list[str]) -> tuple[dict[str, Tensor], Tensor, Tensor]:
        empty = captions == [""]
        words = NULL_WORDS if empty else WORDS
        return embeds(40 if empty else 30, words), torch.tensor([0, words]), torch.arange(words)[None] < words - 1


def _nothing(*_: Any, **__: Any) -> None:
    pass


def _still(*_: Any, **__: Any) -> nullcontext[None]:
    return nullcontext()


def pipeline(dit: Any, num_steps: int = 20) -> Any:
    code = load("kandinsky.pipeline.pipeline", *NOT_NEEDED)
    code.postprocess_video = lambda bundle, vae, bs: bundle.video
    code.postprocess_audio = lambda bundle, vae, vocoder: bundle.audio
    code.encode_i2va_first_frame = lambda *_, **__: (noise(9, 1, HEIGHT, WIDTH, CHANNELS), 8 * HEIGHT, 8 * WIDTH)
    heard = SimpleNamespace(downsample_factor=1024) if dit.is_multimodal else None
    parts = {"audio_vae": heard, "vocoder": heard, "offload": SimpleNamespace(use=_still, release=_nothing)}
    size = {"height": 8 * HEIGHT, "width": 8 * WIDTH, "latent_frames": FRAMES, "num_steps": num_steps}
    scheme = {"visual_cond_scheme": "tail_cond_first_frame"}
    dit.to(torch.bfloat16)
    pipe = code.Kandinsky6Pipeline(dit, Texts(), None, torch.device("cpu"), **parts, **size, **scheme)
    pipe.cache_conf = load("kandinsky.runtime.cache").CacheConfig()
    pipe.profile = SimpleNamespace(pipeline=_still, note_call=_nothing, note_prompt=_nothing)
    pipe.beautifier = SimpleNamespace(name="none")
    return pipe


def generation(pipe: Any, **call: Any) -> Generate:
    return lambda seed: pipe("a bottle", negative_text="", seed=seed, **call).frames


@pytest.mark.parametrize(
    ("sound", "call"),
    [
        (True, {}),
        (True, {"sample_audio": False}),
        (False, {}),
        (True, {"guidance_weight": 1.0}),
        (True, {"image": "bottle.png"}),
    ],
    ids=["sound", "sound left out", "network without sound", "one branch", "image"],
)
def test_their_pipeline(sound: bool, call: dict[str, Any]) -> None:
    with opened(checkout("kandinsky6"), *BARE):
        pipe = pipeline(network(sound))
        pipe.set_cache("none")
        dit = pipe.raw_dit
        branches = 1 if "guidance_weight" in call else 2
        assert_halves(generation(pipe, **call), {dit: pipe.num_steps}, lambda model: model.visual_embeddings, branches)


def test_their_defaults() -> None:
    """What the page calls their rule with their defaults makes what their own switch makes, to the bit."""
    with opened(checkout("kandinsky6"), *BARE):
        pipe = pipeline(network(silent=True), num_steps=50)
        generate = generation(pipe)
        with counted(pipe.raw_dit) as calls:
            pipe.set_cache("navicache")
            theirs = generate(0)
        pipe.set_cache("none")
        with navicache.enable(pipe.raw_dit, "navicache", threshold=0.05, align_steps=10, steps=pipe.num_steps) as cache:
            assert torch.equal(generate(0), theirs)
        assert len(calls) == 2 * cache.trace.runs[-1].computed
        assert 10 < cache.trace.runs[-1].computed < 50
