"""Time embeddings without fast waves.

A sampler's step is 20 of 1000 units. The fastest waves of a timestep's embedding turn several times in one step: what a
young model makes of them jumps from step to step at random. Long training unlearns it.
"""

import math
from typing import Any

import torch

TIME_RANGE = 1000.0
SHORTEST_PERIOD = TIME_RANGE / 8
MAX_PERIOD = 10000.0  # of diffusers' embeddings, over 2 pi


def list_slow_waves(columns: int) -> torch.Tensor:
    """Which columns of an embedding are slow enough to be read.

    Example:
        >>> list_slow_waves(256).sum().item()
        172
    """
    half = columns // 2
    periods = 2 * math.pi * MAX_PERIOD ** (torch.arange(half) / half)
    return (periods >= SHORTEST_PERIOD).repeat(2)


def ignore_fast_waves(embedder: Any) -> None:
    """Set what the first layer reads of fast waves to zero, and keep it zero in training."""
    weight = embedder.linear_1.weight
    slow = list_slow_waves(weight.shape[1]).to(weight.device)
    with torch.no_grad():
        weight.mul_(slow)
    weight.register_hook(lambda slope: slope * slow)
