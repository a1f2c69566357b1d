"""The signal that a gate reads: its change since the previous step and since the last compute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from navicache.engine.decide.pending_outcome import average_rows
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import measure_mean_abs, subtract_rows

EPSILON = 1e-16


@dataclass
class SignalHistory:
    """The signal of the newest step, and of the last computed."""

    measurement_names: frozenset[str]  # "since_seen", "since_computed"; empty: nothing is watched
    last_signal: Tensor | None = None
    computed_signal: Tensor | None = None

    def measure_change(self, signal: Tensor) -> dict[str, DeviceReading]:
        """How the signal of a new step has changed, and the sizes that its changes are relative to."""
        readings: dict[str, DeviceReading] = {}
        for name, old in (("seen", self.last_signal), ("computed", self.computed_signal)):
            if old is not None and f"since_{name}" in self.measurement_names and old.shape == signal.shape:
                readings[f"since_{name}"] = measure_mean_abs(subtract_rows((signal,), (old,)))
                readings[f"{name}_magnitude"] = measure_mean_abs((old,))
        return readings

    def set_last_signal(self, signal: Tensor) -> None:
        """This is the signal of the newest step."""
        self.last_signal = signal

    def mark_computed(self) -> None:
        """This step is computed."""
        self.computed_signal = self.last_signal

    def build_step_fields(self, readings: Mapping[str, DeviceReading], rows: Sequence[int]) -> dict[str, float | None]:
        """What a `Step` knows of the signal beside its changes."""
        since, size = readings.get("since_seen"), readings.get("seen_magnitude")
        relative = None
        if since is not None and size is not None:
            relative = sum(since.values[row] / (size.values[row] + EPSILON) for row in rows) / len(rows)
        computed = average_rows(readings.get("computed_magnitude"), rows)
        return {"seen_magnitude": average_rows(size, rows), "computed_magnitude": computed, "relative_change": relative}

    def release_tensors(self) -> None:
        """Let the tensors go."""
        self.last_signal = self.computed_signal = None
