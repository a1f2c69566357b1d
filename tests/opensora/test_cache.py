"""The cache at the whole model, on two runs."""

from __future__ import annotations

from typing import Any

import PIL.Image
import pytest
import torch
from tests.opensora.common import run, seeded, tiny_pipe

import navicache

KNOBS = {"threshold": 2.0, "align_steps": 4, "site": "model"}
CALLS: dict[str, dict[str, Any]] = {
    "text": {},
    "image": {"references": [PIL.Image.new("RGB", (8, 8), "red")]},
    "one branch": {"guidance_scale": 1.0},
    "long": {"num_frames": 34, "num_loops": 2},
}


@pytest.mark.parametrize("name", CALLS)
def test_steps_are_reused_and_runs_do_not_mix(name: str) -> None:
    pipe, options = tiny_pipe(), {**CALLS[name], "num_inference_steps": 12}
    plain = run(pipe, **options)
    cache = navicache.enable(pipe, "navicache", **KNOBS)
    first, second = run(pipe, **options), run(pipe, **options)
    assert torch.equal(first, second) and not torch.equal(first, plain)
    runs, loops = cache.trace.runs, options.get("num_loops", 1)
    assert len(runs) == 2 * loops
    assert all(len(one.computed_steps()) < 12 and one.computed_steps()[-1] == 11 for one in runs)
    cache.disable()
    assert torch.equal(run(pipe, **options), plain)


def test_samples_of_a_batch_are_cached_each_for_itself() -> None:
    pipe, rows = tiny_pipe(), []
    pipe.transformer.x_embedder.register_forward_hook(lambda _m, args, _o: rows.append(len(args[0])))
    navicache.enable(pipe, "navicache", **KNOBS)
    prompts = ["a cat", "a red red red boat"]
    both = run(pipe, prompts, generator=[seeded(0), seeded(1)], num_inference_steps=16)
    assert set(rows) == {2, 4}
    for row, prompt in enumerate(prompts):
        alone = run(pipe, prompt, generator=seeded(row), num_inference_steps=16)
        assert (both[row : row + 1] - alone).abs().max() < 5e-3


@pytest.mark.parametrize("mode", ["fast", "mid", "slow"])
def test_the_papers_presets_reuse_the_block_stack(mode: str) -> None:
    pipe = tiny_pipe()
    plain = run(pipe, num_inference_steps=12)
    final = []
    pipe.transformer.final_layer.register_forward_hook(lambda *_: final.append(1))
    with navicache.enable(pipe, "navicache", mode) as cache:
        settled = cache._attachments["transformer"].engine.policy
        assert (settled.site, settled.align_steps, settled.output_epsilon) == ("blocks", 5, 1e-8)
        assert settled.threshold == {"fast": 0.55, "mid": 0.35, "slow": 0.15}[mode]
        run(pipe, num_inference_steps=12)
    assert len(final) == 12  # embeddings and last layer run at every step
    assert torch.equal(run(pipe, num_inference_steps=12), plain)


@pytest.mark.parametrize(
    ("policy", "knobs"),
    [
        ("navicache", {"threshold": 5.0}),
        ("inertial", {"speedup": 1.6}),
        ("inertial", {"speedup": 1.6, "site": "blocks"}),
        ("easycache", {"threshold": 5.0, "site": "blocks", "align_steps": 3}),
        ("teacache", {"threshold": 5.0}),
        pytest.param("magcache", {}, marks=pytest.mark.slow),
        ("pab", {}),
        pytest.param("taylorseer", {"interval": 3}, marks=pytest.mark.slow),
        pytest.param("hicache", {"interval": 3}, marks=pytest.mark.slow),
        pytest.param("spectrum", {}, marks=pytest.mark.slow),
        ("firstblockcache", {"threshold": 1.0}),
        pytest.param(
            "dbcache",
            {"threshold": 0.9, "first": 1, "last": 1, "align_steps": 2},
            marks=pytest.mark.slow,
        ),
        pytest.param("seacache", {"threshold": 0.8}, marks=pytest.mark.slow),
    ],
)
def test_every_policy_runs_twice_alike(policy: str, knobs: dict[str, Any]) -> None:
    pipe, options = tiny_pipe(), {"num_inference_steps": 30}
    plain = run(pipe, **options)
    with navicache.enable(pipe, policy, **knobs) as cache:
        first, second = run(pipe, **options), run(pipe, **options)
    assert len(cache.trace.runs) == 2
    assert torch.equal(first, second)
    assert torch.isfinite(first).all()
    assert not torch.equal(first, plain)
    assert torch.equal(run(pipe, **options), plain)


def test_pab_reuses_each_kind_at_its_own_pace() -> None:
    """At 480p and 51 frames, by the published timesteps; here by those of the small size."""
    pipe, calls = tiny_pipe(), {"spatial": 0, "temporal": 0, "cross": 0}

    def count(name: str) -> Any:
        return lambda *_: calls.__setitem__(name, calls[name] + 1)

    pipe.transformer.spatial_blocks[0].attn.qkv.register_forward_hook(count("spatial"))
    pipe.transformer.temporal_blocks[0].attn.qkv.register_forward_hook(count("temporal"))
    pipe.transformer.spatial_blocks[0].cross_attn.q_linear.register_forward_hook(count("cross"))
    with navicache.enable(pipe, "pab"):
        run(pipe, num_inference_steps=30)
        times = [int(t) for t in pipe.scheduler.timesteps]
    inside = [i for i, t in enumerate(times) if 450 < t < 930]
    expected = {"spatial": 2, "temporal": 4, "cross": 6}
    assert calls == {name: 30 - sum(i % every != 0 for i in inside) for name, every in expected.items()}
