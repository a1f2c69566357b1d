"""Whether a model's outputs bend along a run, or jump: how far one second difference repeats in the next.

White noise on the outputs gives -2/3, a course that bends evenly +1.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

STEPS = (5, 8, 10, 13, 17, 22, 30)
MIDDLE = (10, 13, 17, 22, 30)  # of a run of 50


@contextmanager
def record_outputs(model: Any) -> Iterator[list[torch.Tensor]]:
    """All outputs of the model, in order of its calls."""
    outputs: list[torch.Tensor] = []
    handle = model.register_forward_hook(lambda module, given, output: outputs.append(output[0].detach().float()))
    try:
        yield outputs
    finally:
        handle.remove()


def group_by_step(outputs: Sequence[torch.Tensor], steps: int) -> torch.Tensor:
    """All outputs as (steps, rows, numbers): a step's calls one after another, one row for each sample of each."""
    calls, rest = divmod(len(outputs), steps)
    if rest:
        raise ValueError(f"{len(outputs)} outputs are not those of {steps} steps")
    return torch.stack([torch.cat([*outputs[calls * step : calls * (step + 1)]]).flatten(1) for step in range(steps)])


def measure_bend(outputs: torch.Tensor) -> dict[int, float]:
    """By step: the correlation of its second difference with the one before, mean over the rows.

    Example:
        >>> course = torch.arange(40.0).view(-1, 1, 1) ** 2 * torch.randn(1, 2, 100)
        >>> round(measure_bend(course)[10], 3)
        1.0
    """
    second = outputs.diff(n=2, dim=0)  # the one of step i is at i - 2
    pairs = {step: (second[step - 2], second[step - 3]) for step in STEPS if step < len(outputs)}
    return {step: torch.cosine_similarity(*pair, dim=1).mean().item() for step, pair in pairs.items()}


def average_middle(bend: dict[int, float]) -> float:
    """The mean over the middle of a run of 50, or over what a shorter one has."""
    values = [value for step, value in bend.items() if step in MIDDLE]
    return sum(values) / len(values) if values else float("nan")
