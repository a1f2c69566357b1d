"""The only door from the device to the host: values queue up as tensors and cross together."""

from collections.abc import Sequence

import torch
from torch import Tensor


class Reading:
    """A short vector of floats that may still be on the device."""

    def __init__(self, tensor: Tensor) -> None:
        """Remember a tensor that nobody will write to."""
        self.tensor: Tensor | None = tensor.detach()
        self.values: list[float] = []


def fetch(readings: Sequence[Reading]) -> None:
    """Bring all readings over; one device sync per device that is not the CPU, however many there are."""
    waiting = [(r, r.tensor) for r in readings if r.tensor is not None]
    for device in {tensor.device for _, tensor in waiting}:
        here = [(r, tensor) for r, tensor in waiting if tensor.device == device]
        flat = [tensor.reshape(-1).to(torch.float32) for _, tensor in here]
        values = transfer(flat[0] if len(flat) == 1 else torch.cat(flat))
        for reading, tensor in here:
            reading.values, values = values[: tensor.numel()], values[tensor.numel() :]
            reading.tensor = None


def transfer(values: Tensor) -> list[float]:
    """The device sync itself; tests count its calls."""
    return values.tolist()
