"""The only transfer from the device to the host: values wait as tensors and are copied together."""

from collections.abc import Iterable

import torch
from torch import Tensor


class DeviceReading:
    """A short vector of floats that may still be on the device."""

    __slots__ = ("scale", "tensor", "values")

    def __init__(self, tensor: Tensor, scale: float = 1.0) -> None:
        """Remember a tensor that nobody will write to; its values are scaled on arrival, where that costs nothing."""
        self.tensor: Tensor | None = tensor
        self.scale = scale
        self.values: list[float] = []

    def set_values(self, values: list[float]) -> None:
        """Take the values over and let the tensor go."""
        scale, self.tensor = self.scale, None
        self.values = values if scale == 1.0 else [value * scale for value in values]


def fetch_readings(readings: Iterable[DeviceReading]) -> None:
    """Fetch all readings, with one sync per device other than the CPU."""
    waiting = [(reading, reading.tensor) for reading in readings if reading.tensor is not None]
    if len(waiting) == 1:
        reading, tensor = waiting[0]
        reading.set_values(copy_to_host(tensor if tensor.ndim == 1 else tensor.reshape(-1)))
        return
    for device in {tensor.device for _, tensor in waiting}:
        here = [(reading, tensor.reshape(-1)) for reading, tensor in waiting if tensor.device == device]
        values = copy_to_host(torch.cat([tensor.float() for _, tensor in here]))
        start = 0
        for reading, tensor in here:
            end = start + tensor.numel()
            reading.set_values(values[start:end])
            start = end


def copy_to_host(values: Tensor) -> list[float]:
    """Copy values to the host, which syncs the device; `item` is faster for a single number."""
    return [values.item()] if values.numel() == 1 else values.tolist()


def create_time_reading(time: Tensor | float) -> DeviceReading:
    """A time; where tokens or latents have times of their own, the largest and the smallest."""
    tensor = (time if isinstance(time, Tensor) else torch.tensor([float(time)])).to(torch.float32)
    if tensor.numel() < 2:
        return DeviceReading(tensor.reshape(-1))
    smallest, largest = torch.aminmax(tensor)
    return DeviceReading(torch.stack([largest, smallest]))


def get_time_range(reading: DeviceReading | None) -> tuple[float, float] | None:
    """Return the largest and the smallest time; None if they are still on the device."""
    return None if reading is None or not reading.values else (reading.values[0], reading.values[-1])


def get_moving_time(reading: DeviceReading | None, first: DeviceReading | None) -> float | None:
    """Return the largest time, or the smallest if the largest has stayed since the first step: a frozen latent's."""
    now, start = get_time_range(reading), get_time_range(first)
    if now is None or start is None:
        return None if now is None else now[0]
    return now[1] if now[0] == start[0] and now[1] != start[1] else now[0]


def compute_time_change(now: DeviceReading | None, then: DeviceReading | None) -> float | None:
    """Return how far the time has moved; of several times, half the sum of what largest and smallest have."""
    new, old = get_time_range(now), get_time_range(then)
    return None if new is None or old is None else (sum(new) - sum(old)) / 2
