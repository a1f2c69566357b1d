"""Samplers by the pattern of their evaluations, under the names that ComfyUI gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import torch
from tests.integrations.comfyui.guider import Cond, Guider
from tests.integrations.comfyui.standin import Patcher
from torch import Tensor

from navicache_comfyui import SamplingReport, last_run

Loop = Callable[[Guider, Tensor, Tensor], Tensor]
STEPS = 20


def levels(steps: int = STEPS, shift: float = 3.0) -> Tensor:
    """Noise levels of a shifted flow, from 1 to 0."""
    even = torch.linspace(1, 0, steps + 1)
    return shift * even / (1 + (shift - 1) * even)


def steps_of(sigmas: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    return pairwise(sigmas)


def slope(model: Guider, x: Tensor, sigma: Tensor) -> Tensor:
    return (x - model(x, sigma)) / sigma


def between(now: Tensor, then: Tensor, share: float = 0.5) -> Tensor:
    return now + share * (then - now)


def sample_euler(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    for now, then in steps_of(sigmas):
        x = x + slope(model, x, now) * (then - now)
    return x


def sample_dpmpp_2m(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    """Two slopes, as a multistep sampler keeps them."""
    before = None
    for now, then in steps_of(sigmas):
        new = slope(model, x, now)
        x = x + (new if before is None else 1.5 * new - 0.5 * before) * (then - now)
        before = new
    return x


def sample_euler_ancestral(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    for now, then in steps_of(sigmas):
        denoised = model(x, now)
        fresh = torch.randn(x.shape, generator=generator)
        noise = (x - (1 - now) * denoised) / now
        mixed = (noise + fresh) / 2**0.5  # half of the noise is new
        x = (1 - then) * denoised + then * mixed
    return x


def sample_heun(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    for now, then in steps_of(sigmas):
        first = slope(model, x, now)
        second = slope(model, x + first * (then - now), then) if then > 0 else first
        x = x + (first + second) / 2 * (then - now)
    return x


def sample_dpm_2(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    for now, then in steps_of(sigmas):
        first, middle = slope(model, x, now), between(now, then)
        x = x + (slope(model, x + first * (middle - now), middle) if then > 0 else first) * (then - now)
    return x


def sample_seeds_3(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    for now, then in steps_of(sigmas):
        direction, reached = slope(model, x, now), now
        for share in (1 / 3, 2 / 3) if then > 0 else ():
            reached = between(now, then, share)
            direction = slope(model, x + direction * (reached - now), reached)
        x = x + direction * (then - now)
    return x


def sample_heunpp2(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    """Looks two levels ahead at every step, and so goes back one."""
    for step, (now, then) in enumerate(steps_of(sigmas)):
        slopes, point = [slope(model, x, now)], x
        for a, b in list(steps_of(sigmas[step : step + 3]))[: 2 if then > 0 else 0]:
            point = point + slopes[-1] * (b - a)
            slopes += [slope(model, point, b)] if b > 0 else []
        x = x + weigh_slopes(slopes, sigmas[step + 1 :] / sigmas[0]) * (then - now)
    return x


def weigh_slopes(slopes: list[Tensor], ahead: Tensor) -> Tensor:
    """Those ahead weigh by their noise level, as shares of the first; the rest is left to the one on the course."""
    shares = [share / len(slopes) for share in ahead[: len(slopes) - 1].tolist()]
    return sum((slope * share for slope, share in zip(slopes[1:], shares, strict=True)), slopes[0] * (1 - sum(shares)))


def sample_sa_solver_pece(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    """Evaluates, corrects and evaluates again at the same level."""
    before = slope(model, x, sigmas[0])
    for now, then in steps_of(sigmas):
        guess = x + before * (then - now)
        if then == 0:
            return guess
        x = x + (before + slope(model, guess, then)) / 2 * (then - now)
        before = slope(model, x, then)
    return x


def named(loop: Loop, name: str) -> Loop:
    """The same pattern of evaluations under another name."""

    def function(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        return loop(model, x, sigmas)

    function.__name__ = f"sample_{name}"
    return function


LOOPS: dict[str, Loop] = {
    "euler": sample_euler,
    "dpmpp_2m": sample_dpmpp_2m,
    "uni_pc": named(sample_dpmpp_2m, "unipc"),
    "res_multistep": named(sample_dpmpp_2m, "res_multistep"),
    "euler_ancestral": sample_euler_ancestral,
    "heun": sample_heun,
    "dpm_2": sample_dpm_2,
    "dpmpp_sde": named(sample_dpm_2, "dpmpp_sde"),
    "dpmpp_2s_ancestral": named(sample_dpm_2, "dpmpp_2s_ancestral"),
    "seeds_3": sample_seeds_3,
    "heunpp2": sample_heunpp2,
    "sa_solver_pece": sample_sa_solver_pece,
}


def sampler(loop: Loop | str) -> Any:
    """What ComfyUI hands to a run; its functions also take arguments for progress and seeds."""
    function = LOOPS[loop] if isinstance(loop, str) else loop

    @wraps(function)
    def run(model: Guider, x: Tensor, sigmas: Tensor, **_: Any) -> Tensor:
        return function(model, x, sigmas)

    return SimpleNamespace(sampler_function=run, extra_options={})


def latents(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape or (1, 4, 3, 8), generator=torch.Generator().manual_seed(seed))


def generate(
    model: Patcher,
    loop: Loop | str = "euler",
    *,
    sigmas: Tensor | None = None,
    noise: Tensor | None = None,
    latent: Tensor | None = None,
    positive: list[Cond] | None = None,
    negative: list[Cond] | None = None,
    **how: Any,
) -> Tensor:
    """One prompt of the queue."""
    conds = [Cond(0.8)] if positive is None else positive, [Cond(-0.2)] if negative is None else negative
    guider = Guider(model, *conds, **how)
    start = latents() if noise is None else noise
    with torch.no_grad():
        return guider.sample(start, sampler(loop), levels() if sigmas is None else sigmas, latent)


def relative(a: Tensor, b: Tensor) -> float:
    """How far `a` is from `b`, over its size."""
    return float((a - b).abs().mean() / b.abs().mean())


def report_of(model: Patcher) -> SamplingReport:
    report = last_run(model)
    assert report is not None
    return report


def counts(model: Patcher) -> list[tuple[int, int]]:
    return [(run.length, run.computed) for run in report_of(model).trace.runs]
