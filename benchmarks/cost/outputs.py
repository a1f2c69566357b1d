"""What a second output costs the cache: transfers of a run, the numbers in them, and what is kept.

    python -m benchmarks.cost.outputs                  # this machine's CPU
    python -m benchmarks.cost.outputs --device cuda

Video and sound have the sizes of LTX-2's at 121 frames of 768x512, in bfloat16. The model looks its outputs up.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch import Tensor

import navicache
from benchmarks.columns import table
from benchmarks.cost.overhead import held
from navicache.engine.tensors import device_readings

VIDEO, SOUND = (1, 6144, 128), (1, 126, 128)
STEPS = 40
SMALLEST_COUNTED = 1000  # elements: measurements and weights are not what takes room
POLICIES: dict[str, dict[str, Any]] = {
    "inertial, speed-up 2": {"speedup": 2.0},
    "inertial, threshold": {"policy": "inertial", "threshold": 0.05},
    "inertial, max_error": {"max_error": 0.05},
    "easycache": {"policy": "easycache", "threshold": 0.05, "align_steps": 3},
}


class LookupModel:
    """Has latents and outputs of all steps beforehand, so that it costs nothing."""

    def __init__(self, output_count: int, device: str) -> None:
        """Straight paths between noise and noise."""
        torch.manual_seed(0)
        shapes = (VIDEO, SOUND)[:output_count]
        pairs = [(draw_path(shape, device), draw_path(shape, device)) for shape in shapes]
        self.latents, self.outputs = zip(*pairs, strict=True)
        self.index = 0

    def __call__(self, hidden_states: Tensor, timestep: float, audio_hidden_states: Tensor | None = None) -> Any:
        """The outputs of this step."""
        del hidden_states, timestep, audio_hidden_states
        return tuple(output[self.index] for output in self.outputs)

    def count_kept_bytes(self, root: object) -> int:
        """Bytes of the tensors that an object of the library holds, but for the model's own."""
        own = {id(tensor) for path in (*self.latents, *self.outputs) for tensor in path}
        others = [tensor for tensor in held(root) if id(tensor) not in own and tensor.numel() >= SMALLEST_COUNTED]
        storages = [tensor.untyped_storage() for tensor in others]
        return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def draw_path(shape: tuple[int, ...], device: str) -> list[Tensor]:
    """Tensors of all steps on a straight line from noise to other noise."""
    start, end = (torch.randn(shape, device=device, dtype=torch.bfloat16) for _ in range(2))
    return [start + (end - start) * (i / STEPS) for i in range(STEPS)]


class Cost(NamedTuple):
    """Of one run."""

    computed: int
    transfers: int
    numbers: int
    kept: int  # bytes, at most


@contextmanager
def count_transfers() -> Iterator[list[int]]:
    """Sizes of the transfers from the device to the host."""
    sizes: list[int] = []
    plain = device_readings.copy_to_host

    def counted(values: Tensor) -> list[float]:
        sizes.append(values.numel())
        return plain(values)

    with mock.patch.object(device_readings, "copy_to_host", counted):
        yield sizes


@torch.no_grad()
def measure_cost(output_count: int, device: str, knobs: dict[str, Any]) -> Cost:
    """One run with so many outputs."""
    model, kept = LookupModel(output_count, device), 0
    cache = navicache.enable(model, **knobs, steps=STEPS)
    engine = cache._attachments[""].engine
    with count_transfers() as sizes:
        for model.index in range(STEPS):
            latents = [path[model.index] for path in model.latents]
            cache(latents[0], 1.0 - model.index / STEPS, *latents[1:])
            kept = max(kept, model.count_kept_bytes(engine.run))
    return Cost(cache.trace.runs[0].computed, len(sizes), sum(sizes), kept)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    device = parser.parse_args(arguments).device
    rows: list[tuple[str, ...]] = [("policy", "outputs", "computed", "transfers", "numbers", "kept")]
    for policy, knobs in POLICIES.items():
        for output_count in (1, 2):
            computed, transfers, numbers, kept = measure_cost(output_count, device, knobs)
            figures = (output_count, computed, transfers, numbers, f"{kept / 2**20:.2f} MiB")
            rows.append((policy, *map(str, figures)))
    table(rows)


if __name__ == "__main__":
    main()
