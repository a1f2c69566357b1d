"""A signal of the gate's own: how it changes from step to step, and since the last compute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from navicache.engine.decide.lesson import mean
from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.rows import mean_abs, minus

SMALL = 1e-16


@dataclass
class Watch:
    """The signal of the newest step, and of the last computed."""

    reads: frozenset[str]  # "since_seen", "since_computed"; empty: nothing is watched
    newest: Tensor | None = None
    computed: Tensor | None = None

    def measure(self, signal: Tensor) -> dict[str, Reading]:
        """How the signal of a new step has changed, and the sizes that its changes are relative to."""
        readings: dict[str, Reading] = {}
        for name, old in (("seen", self.newest), ("computed", self.computed)):
            if old is not None and f"since_{name}" in self.reads and old.shape == signal.shape:
                readings[f"since_{name}"] = mean_abs(minus((signal,), (old,)))
                readings[f"{name}_size"] = mean_abs((old,))
        return readings

    def take(self, signal: Tensor) -> None:
        """This is the signal of the newest step."""
        self.newest = signal

    def keep(self) -> None:
        """This step is computed."""
        self.computed = self.newest

    def sizes(self, readings: Mapping[str, Reading], rows: Sequence[int]) -> dict[str, float | None]:
        """What a `Step` knows of the signal beside its changes."""
        since, size = readings.get("since_seen"), readings.get("seen_size")
        relative = None
        if since is not None and size is not None:
            relative = sum(since.values[row] / (size.values[row] + SMALL) for row in rows) / len(rows)
        computed = mean(readings.get("computed_size"), rows)
        return {"seen_size": mean(size, rows), "computed_size": computed, "relative_seen": relative}

    def release(self) -> None:
        """Let the tensors go."""
        self.newest = self.computed = None
