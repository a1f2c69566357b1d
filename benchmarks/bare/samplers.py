"""Samplers as a bare model's user writes them: a loop that tells the model a time, and a cache nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from diffusers import DPMSolverMultistepScheduler, UniPCMultistepScheduler

from benchmarks.bare.noise import TRAIN_STEPS, NoiseKind

Denoise = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # of a picture and a time
LAST_TIME = TRAIN_STEPS - 1


@dataclass(frozen=True)
class Sampler:
    """How a picture is made of noise."""

    name: str
    shift: float = 1.0  # of a flow
    guidance: float = 1.0

    @property
    def title(self) -> str:
        """What to call it in a table."""
        shift = f" shift {self.shift:g}" if self.shift != 1 else ""
        return f"{self.name}{shift}, guidance {self.guidance:g}"

    def sample(self, kind: NoiseKind, denoise: Denoise, noise: torch.Tensor, steps: int) -> torch.Tensor:
        """A picture after so many steps."""
        return LOOPS[self.name](self, kind, denoise, noise, steps)

    def list_levels(self, kind: NoiseKind, steps: int) -> list[float]:
        """The true noise levels u = sigma / (alpha + sigma) of all steps, and 0."""
        times = list_flow_times(steps, self.shift) if kind.list_betas is None else list_whole_times(self.name, steps)
        alpha, sigma = (part.flatten() for part in kind.mix_at(times))
        levels = (sigma / (alpha + sigma)).tolist()
        return levels[:steps] + [0.0]


def list_flow_times(steps: int, shift: float) -> torch.Tensor:
    """Times of a shifted flow, and 0 at the end."""
    even = torch.linspace(1, 0, steps + 1)
    return shift * even / (1 + (shift - 1) * even)


def list_whole_times(name: str, steps: int) -> torch.Tensor:
    """Times of noise prediction: from 999 to 0, or from 981 to 1 as Stable Diffusion has them.

    Example:
        >>> list_whole_times("ddim", 4).tolist(), list_whole_times("ddim leading", 4).tolist()
        ([999, 666, 333, 0], [751, 501, 251, 1])
    """
    if name == "ddim leading":
        return torch.arange(steps).flip(0) * (TRAIN_STEPS // steps) + 1
    return torch.linspace(LAST_TIME, 0, steps).round().long()


def _sample_ddim(
    sampler: Sampler, kind: NoiseKind, denoise: Denoise, noise: torch.Tensor, steps: int
) -> torch.Tensor:
    times = list_whole_times(sampler.name, steps).to(noise.device)
    alphas, sigmas = kind.mix_at(times)
    x = noise
    for step, time in enumerate(times):
        answer, alpha, sigma = denoise(x, time), alphas[step], sigmas[step]
        if kind.predicts_velocity:
            clean, found = alpha * x - sigma * answer, sigma * x + alpha * answer
        else:
            clean, found = (x - sigma * answer) / alpha, answer
        if kind.clips:
            clean = clean.clamp(-1, 1)
            found = (x - alpha * clean) / sigma
        last = step == steps - 1
        x = clean if last else alphas[step + 1] * clean + sigmas[step + 1] * found
    return x


def _sample_euler(
    sampler: Sampler, kind: NoiseKind, denoise: Denoise, noise: torch.Tensor, steps: int
) -> torch.Tensor:
    times, x = list_flow_times(steps, sampler.shift).to(noise.device), noise
    for time, following in zip(times[:-1], times[1:], strict=True):
        x = x + (following - time) * denoise(x, time)
    return x


def _sample_multistep(
    sampler: Sampler, kind: NoiseKind, denoise: Denoise, noise: torch.Tensor, steps: int
) -> torch.Tensor:
    """UniPC of a flow, or DPM++ of noise prediction: diffusers' scheduler in a loop of our own."""
    flow = kind.list_betas is None
    if flow:
        options = {"prediction_type": "flow_prediction", "use_flow_sigmas": True, "flow_shift": sampler.shift}
        scheduler: Any = UniPCMultistepScheduler(**options)
    else:
        prediction = "v_prediction" if kind.predicts_velocity else "epsilon"
        betas = kind.list_betas().float().numpy()
        scheduler = DPMSolverMultistepScheduler(trained_betas=betas, prediction_type=prediction)
    scheduler.set_timesteps(steps, device=noise.device)
    x = noise
    for step, time in enumerate(scheduler.timesteps):
        told = scheduler.sigmas[step].to(noise.device) if flow else time
        x = scheduler.step(denoise(x, told), time, x).prev_sample
    return x


LOOPS = {"ddim": _sample_ddim, "ddim leading": _sample_ddim, "euler": _sample_euler, "multistep": _sample_multistep}


def list_samplers(kind: NoiseKind, guidance: float) -> list[Sampler]:
    """The samplers that a model is measured with."""
    if kind.list_betas is None:
        shifted = [Sampler("euler", shift, guidance) for shift in (1.0, 3.0, 5.0)]
        return [*shifted, Sampler("multistep", 5.0, guidance), Sampler("euler", 3.0)]
    guided = [Sampler(name, guidance=guidance) for name in ("ddim", "ddim leading", "multistep")]
    return [*guided, Sampler("ddim")]
