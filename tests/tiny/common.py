"""What every tiny pipeline shares: seeded weights, seeded prompt embeddings, schedulers and the call protocol.

Nothing here reads the model hub: a component is built from its config, and a prompt's embedding is drawn from a
generator seeded by the prompt's text, so equal prompts mean equal conditioning on every machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from diffusers import (
    DiffusionPipeline,
    DPMSolverMultistepScheduler,
    FlowMatchEulerDiscreteScheduler,
    SchedulerMixin,
    UniPCMultistepScheduler,
)

NEGATIVE = "blurry, low quality"
"""The negative prompt of every guided call."""

Inputs = Callable[[DiffusionPipeline, list[str], bool], dict[str, Any]]
"""(pipe, one prompt per sample, guidance) -> the pipeline arguments that belong to one family."""

M = TypeVar("M", bound=torch.nn.Module)
P = TypeVar("P", bound=DiffusionPipeline)


@dataclass(frozen=True)
class Tiny:
    """A tiny real pipeline: how to build a fresh one, and how to run it to its latents."""

    name: str
    build: Callable[..., DiffusionPipeline]
    call: Callable[..., torch.Tensor]


def component(make: Callable[[], M], *, seed: int, dtype: torch.dtype = torch.float32) -> M:
    """A module with seeded weights, built without moving the global random state.

    Stock initialisation leaves layers at zero (positions, pad tokens) or makes time and text barely visible in the
    output, which would let a wrong cache key pass a test; so all weights are drawn again, to unit gain.
    """
    with torch.random.fork_rng(devices=[]):
        module = make()
    generator = torch.Generator().manual_seed(seed)
    kept = set(getattr(module, "_keep_in_fp32_modules", None) or ())
    for name, parameter in module.named_parameters():
        _draw(name, parameter, generator)
    for part in module.modules():
        if type(part).__name__.startswith("TimestepEmbed"):
            _slow(next(layer for layer in part.modules() if isinstance(layer, torch.nn.Linear)))
    for name, parameter in module.named_parameters():
        if not kept.intersection(name.split(".")):  # as from_pretrained(torch_dtype=...) would cast
            parameter.data = parameter.data.to(dtype)
    return module.eval()


def _draw(name: str, parameter: torch.nn.Parameter, generator: torch.Generator) -> None:
    noise = torch.randn(parameter.shape, generator=generator)
    if parameter.ndim >= 2 and name.endswith("weight"):
        parameter.data = noise / (parameter.numel() / parameter.shape[0]) ** 0.5
    elif name.endswith("weight"):  # a norm's gain
        parameter.data = 1 + 0.1 * noise
    else:  # biases, modulation tables, pad tokens, learned frequencies
        parameter.data = 0.1 * noise


def _slow(first: torch.nn.Linear) -> None:
    """Let a time embedding see only waves of about one turn or less over the 1000 timesteps.

    A trained denoiser changes slowly from step to step, which is what caches live on; random weights over the fast
    waves would make it jump. Slower waves than half a radian are constant, so they are dropped as well.
    """
    half = first.in_features // 2
    radians = 1000 * 10000 ** (-torch.arange(half) / half)  # what each sine and cosine covers, in that order, twice
    seen = ((radians > 0.5) & (radians < 6)).float().repeat(2)
    first.weight.data = first.weight.data * seen * (2 * half / seen.sum()) ** 0.5


def ready(pipe: P) -> P:
    """The pipeline, silenced."""
    pipe.set_progress_bar_config(disable=True)
    return pipe


def flow_scheduler(kind: str = "euler", shift: float = 3.0, **config: Any) -> SchedulerMixin:
    """A flow-matching scheduler by short name, configured as the released video checkpoints configure it."""
    if kind == "euler":
        return FlowMatchEulerDiscreteScheduler(shift=shift, **config)
    solvers = {"unipc": UniPCMultistepScheduler, "dpm": DPMSolverMultistepScheduler}
    return solvers[kind](prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=shift, **config)


def embed(pipe: DiffusionPipeline, prompts: list[str], *shape: int, part: str = "tokens") -> torch.Tensor:
    """One embedding of `shape` per prompt; `part` tells token embeddings from pooled ones.

    The tokens of a prompt share a direction, or attention over many of them would average the prompt away.
    """
    rows = []
    for prompt in prompts:
        generator = _generator(zlib.crc32(f"{part}:{prompt}".encode()))
        shared = torch.randn(shape[-1], generator=generator)
        rows.append((torch.randn(shape, generator=generator) + shared) / 2**0.5)
    return torch.stack(rows).to(pipe._execution_device, pipe.transformer.dtype)


def prompt_length(prompt: str, longest: int) -> int:
    """A token count that differs between prompts, as a tokenizer's would."""
    return longest // 2 + zlib.crc32(prompt.encode()) % (longest - longest // 2 + 1)


def mask(pipe: DiffusionPipeline, prompts: list[str], longest: int, dtype: torch.dtype = torch.bool) -> torch.Tensor:
    """Attention mask over the tokens of each prompt, padding at the end."""
    lengths = torch.tensor([prompt_length(prompt, longest) for prompt in prompts])
    return (torch.arange(longest) < lengths[:, None]).to(pipe._execution_device, dtype)


def both(name: str, guidance: bool, make: Callable[[list[str]], Any], prompts: list[str]) -> dict[str, Any]:
    """`name` for the prompts and, under guidance, `negative_name` for the negative prompt."""
    made = {name: make(prompts)}
    if guidance:
        made[f"negative_{name}"] = make([NEGATIVE] * len(prompts))
    return made


def tiny(name: str, build: Callable[..., DiffusionPipeline], inputs: Inputs) -> Tiny:
    """Tie a family's builder and its call arguments to the shared call protocol."""

    def call(
        pipe: DiffusionPipeline,
        *,
        steps: int = 12,
        seed: int = 0,
        prompt: str = "a cat",
        guidance: bool = True,
        batch: int = 1,
        numbered: bool | None = None,
        **extra: Any,
    ) -> torch.Tensor:
        """The latents of a full run; `extra` overrides any argument of the pipeline's own call.

        Sample i has its own generator (seed + i) and, when `numbered` (the default for batch > 1), its own prompt
        f"{prompt} {i}": so row i of a numbered batch is call(batch=1, seed=seed + i, prompt=f"{prompt} {i}").
        """
        numbered = batch > 1 if numbered is None else numbered
        prompts = [f"{prompt} {i}" if numbered else prompt for i in range(batch)]
        arguments = {
            "num_inference_steps": steps,
            "generator": [_generator(seed + i) for i in range(batch)],
            "output_type": "latent",
            **inputs(pipe, prompts, guidance),
        }
        return pipe(**{**arguments, **extra, "return_dict": False})[0]

    return Tiny(name, build, call)


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
