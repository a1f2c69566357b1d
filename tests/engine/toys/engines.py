"""Toys whose answers are mental arithmetic."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from navicache.engine import CallFacts, CallReader, ModelEngine, StorageOptions
from navicache.integrations.attachments import get_forward_signature
from navicache.models import CallSpec
from navicache.policies import Policy, Scheme, add_guards
from navicache.records import ShadowMode

# Policies that replace the whole model: what a function without blocks can be cached with.
WHOLE_MODEL = ("navicache", "inertial", "easycache", "ema", "static", "random")


@dataclass(frozen=True)
class Custom:
    """Any gate with any predictor."""

    name: ClassVar[str] = "custom"
    gate: Any
    predictor: Any
    align_steps: int = 2
    apart: bool = False

    def schemes(self):
        gate = add_guards(self.gate, align_steps=self.align_steps, last_step=False)
        return (
            Scheme("model", gate, self.predictor, False, difference_predictor=self.predictor if self.apart else None),
        )


class Doubler(nn.Module):
    """Returns twice its input plus the mean of its conditioning, and counts the rows it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def forward(self, x: Tensor, t: Tensor | float, context: Tensor | None = None) -> Tensor:
        self.rows.append(x.shape[0])
        bias = 0 if context is None else context.flatten(1).mean(1).reshape(-1, *[1] * (x.ndim - 1))
        return 2 * x + bias


def engine_for(
    model: Callable[..., Any],
    policy: Policy,
    *,
    call: CallSpec | None = None,
    keep: StorageOptions | None = None,
    describe_call: Callable[[], CallFacts] = CallFacts,
    shadow: ShadowMode | None = None,
) -> Callable[..., Any]:
    """The model behind an engine; the engine is the function's attribute `engine`."""
    call = call or CallSpec()
    where = {"model": "toy", "call": call, "keep": keep, "describe_call": describe_call, "shadow": shadow}
    engine = ModelEngine(policy, CallReader(call, get_forward_signature(model)), **where)

    def cached(*args: Any, **kwargs: Any) -> Any:
        return engine(model, args, kwargs)

    cached.engine = engine  # type: ignore[attr-defined]
    return cached


def ramp(steps: int, rows: int = 1, width: int = 4) -> list[Tensor]:
    """Latents that fall by one at every step: steps, steps - 1, ..., 1."""
    return [torch.full((rows, width), float(steps - i)) for i in range(steps)]
