"""A sampler starts where it is handed fresh noise, in the middle too; else it goes on where another one stopped."""

from __future__ import annotations

import pytest
import torch
from tests.integrations.comfyui.guider import Guider
from tests.integrations.comfyui.loops import generate, latents, levels, relative, report_of, sample_euler
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach

SIGMAS = levels(40)
LONG_START = {"align_steps": 6}


def begin_computed(patched: Patcher) -> int:
    """How many steps the newest run computed before it left one out."""
    (run,) = report_of(patched).trace.runs
    computed = run.computed_steps()
    return next(place for place in range(run.length) if place not in computed)


def with_long_start() -> Patcher:
    return attach(Patcher(Model()), speedup=2.0, knobs=LONG_START)


def test_fresh_noise_on_a_latent_is_a_start() -> None:
    patched = with_long_start()
    generate(patched, sigmas=SIGMAS[-21:], latent=latents(seed=1))
    assert begin_computed(patched) == 6


def test_a_latent_without_fresh_noise_goes_on() -> None:
    first, second, plain = with_long_start(), with_long_start(), Patcher(Model())
    half = generate(first, sigmas=SIGMAS[:21])
    rest = {"sigmas": SIGMAS[20:], "noise": torch.zeros_like(half), "latent": half / (1 - SIGMAS[20])}
    video = generate(second, **rest)
    assert (begin_computed(first), begin_computed(second)) == (6, 2)
    assert relative(video, generate(plain, sigmas=SIGMAS)) < 0.05


def test_noise_of_the_users_own_at_the_full_level_is_a_start() -> None:
    patched = with_long_start()
    generate(patched, noise=torch.zeros(1, 4, 3, 8), latent=latents())
    assert begin_computed(patched) == 6


def test_a_way_back_to_noise_is_a_start() -> None:
    patched = with_long_start()
    generate(patched, sigmas=SIGMAS.flip(0)[1:], noise=torch.zeros(1, 4, 3, 8), latent=latents())
    assert begin_computed(patched) >= 6


def test_what_is_cached_from_the_middle_on_goes_on() -> None:
    patched = attach(Patcher(Model()), speedup=2.0, knobs=LONG_START, start_percent=0.2)
    generate(patched)
    assert begin_computed(patched) == 2


def test_noise_added_again_is_a_start_whatever_came_before() -> None:
    patched = attach(Patcher(Model()), speedup=1.5, knobs=LONG_START)

    def restarting(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        half = sample_euler(model, x, sigmas)
        return sample_euler(model, half + sigmas[0] * torch.ones_like(half), sigmas)

    generate(patched, restarting, sigmas=SIGMAS[20:], noise=torch.zeros(1, 4, 3, 8), latent=latents())
    first, second = (run.computed_steps() for run in report_of(patched).trace.runs)
    assert first[:3] != (0, 1, 2)
    assert second[:6] == (0, 1, 2, 3, 4, 5)


@pytest.mark.parametrize("steps", [10, 14])
def test_half_of_a_short_run_from_the_middle_begins_with_a_line(steps: int) -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, sigmas=levels(2 * steps)[-steps - 1 :], latent=latents(seed=1))
    assert begin_computed(patched) >= 2
    assert report_of(patched).computed == steps // 2
