"""Toy denoisers whose answers are mental arithmetic, and a denoising loop written by hand around them.

A branch adds ten times its number to the output, so a prediction taken from another branch is ten or more off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from diffusers import CacheMixin, ConfigMixin, DiffusionPipeline, FlowMatchEulerDiscreteScheduler, ModelMixin
from diffusers.configuration_utils import register_to_config
from torch import Tensor, nn

STEPS = 16
KNOBS = {"threshold": 1e-3, "align_steps": 3}  # a toy step adds about 2e-4 to 4e-4


class Branch(NamedTuple):
    """A guidance branch: a name, its conditioning, and what else its call says."""

    name: str
    condition: int
    scale: float = 1.0

    @property
    def number(self) -> float:
        """What its output is ten times of."""
        return self.condition * self.scale


COND, UNCOND, IMAGE = Branch("cond", 1), Branch("uncond", 2), Branch("image", 3)
PERTURBED = Branch("perturbed", 1, scale=4.0)  # the conditioning of COND, but with layers left out, so to say

Plan = Callable[[int], list[Branch]]


def window(step: int) -> bool:
    """Where guidance in a window is on."""
    return 4 <= step <= 9


def answer(x: Tensor, condition: Tensor, scale: float = 1.0) -> Tensor:
    """What every toy computes."""
    constant = 10 * scale * condition.flatten(1).mean(1)
    return 0.1 * x + constant.view(-1, *[1] * (x.ndim - 1))


class Toy(nn.Module):
    """A plain module."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))  # offload hooks look for one
        self.calls = 0

    def forward(self, x: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, scale: float = 1.0) -> Tensor:
        self.calls += 1
        return answer(x, encoder_hidden_states, scale)


class ToyModel(ModelMixin, ConfigMixin, CacheMixin):
    """A diffusers model: it has hooks and cache contexts."""

    @register_to_config
    def __init__(self, width: int = 1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))
        self.calls = 0

    def forward(
        self,
        hidden_states: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        scale: float = 1.0,
        return_dict: bool = True,
    ) -> Any:
        self.calls += 1
        output = answer(hidden_states, encoder_hidden_states, scale)
        return {"sample": output} if return_dict else (output,)


class ToyPipeline(DiffusionPipeline):
    """What `enable` sees of a pipeline: a transformer and a scheduler."""

    def __init__(self, transformer: ToyModel, scheduler: FlowMatchEulerDiscreteScheduler) -> None:
        super().__init__()
        self.register_modules(transformer=transformer, scheduler=scheduler)


class Call(NamedTuple):
    """One call of the loop and what came back."""

    step: int
    branch: Branch
    x: Tensor
    output: Tensor
    computed: bool


def drifting(steps: int, shape: tuple[int, ...] = (2, 4, 3, 5), dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """The latents of a run that goes straight on, whatever the model says."""
    generator = torch.Generator().manual_seed(0)
    start, drift = (torch.randn(shape, generator=generator) for _ in range(2))
    return [(start + 0.05 * step * drift).to(dtype) for step in range(steps)]


def prompts(batch: int = 1) -> dict[int, Tensor]:
    """Conditioning by number."""
    return {number: torch.full((batch, 3, 5), float(number)) for number in (1, 2, 3)}


def denoise(
    model: nn.Module,
    plan: Plan,
    *,
    scheduler: FlowMatchEulerDiscreteScheduler | None = None,
    context: str = "none",
    recreate: bool = False,
    steps: int = STEPS,
    seed: int = 0,
    shape: tuple[int, ...] = (1, 4, 6),
    conditions: dict[int, Tensor] | None = None,
) -> Iterator[Call]:
    """A denoising loop, call by call, so that a test may stop it, or run two of them by turns.

    Args:
        context: "none", "name" or "index" (the name with step and number of steps).
        recreate: make the conditioning anew for every call, with equal values.
        conditions: the conditioning tensors, where two runs share them.
    """
    generator = torch.Generator().manual_seed(seed)
    x, drift = (torch.randn(shape, generator=generator) for _ in range(2))
    conditions = conditions or prompts(shape[0])
    times = torch.linspace(1000, 50, steps)
    if scheduler is not None:
        scheduler.set_timesteps(steps)
        times = scheduler.timesteps
    for step, time in enumerate(times):
        for branch in plan(step):
            condition = conditions[branch.condition]
            condition = condition.clone() if recreate else condition
            before = model.calls
            with _context(model, context, branch, step, steps):
                output = first_tensor(model(x, time.expand(shape[0]), condition, scale=branch.scale))
            yield Call(step, branch, x.clone(), output.clone(), model.calls > before)
            output.fill_(torch.nan)  # what a pipeline does with a result is its own business
        x = x + 0.05 * drift if scheduler is None else scheduler.step(0.5 * drift, time, x, return_dict=False)[0]


def first_tensor(output: Any) -> Tensor:
    """The prediction in what a toy returns."""
    if isinstance(output, Tensor):
        return output
    return next(iter(output.values() if isinstance(output, dict) else output))


def _context(model: Any, context: str, branch: Branch, step: int, steps: int) -> AbstractContextManager[None]:
    if context == "none":
        return nullcontext()
    told = {"step_index": step, "num_inference_steps": steps} if context == "index" else {}
    return model.cache_context(branch.name, **told)


def assert_right_streams(calls: list[Call]) -> dict[str, int]:
    """Every output is the model's own, or predicted from the same branch at the step the leader computed last.

    The first call of a step leads. Returns how often each branch was predicted.
    """
    last: dict[str, Call] = {}
    led, step = -1, -1
    reuses = dict.fromkeys((call.branch.name for call in calls), 0)
    for call in calls:
        led = call.step if call.step != step and call.computed else led
        step = call.step
        if call.computed:
            expected = 0.1 * call.x + 10 * call.branch.number
            last[call.branch.name] = call
        else:
            reuses[call.branch.name] += 1
            old = last[call.branch.name]
            assert old.step == led, f"{call}: predicted from step {old.step}, but step {led} is the newest"
            expected = call.x + (old.output - old.x)
        torch.testing.assert_close(call.output, expected, rtol=0, atol=1e-4, msg=lambda text, c=call: f"{c}: {text}")
    return reuses
