"""Which rows of a call are one sample: looked at in two steps, then known for the rest of the run."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.layout import Layout, agreement, settle
from navicache.engine.tensors.rows import Rows

T = TypeVar("T")


@dataclass
class Batch:
    """The rows of every call of a run, and the only owner of the number of samples.

    Example:
        >>> import torch
        >>> from navicache.engine.tensors.fetch import fetch
        >>> batch = Batch(rows=2, settled=False)
        >>> gaps = batch.per_sample(3)  # as yet all rows may be one sample
        >>> batch.watch((torch.tensor([[0.0], [1.0]]),))
        >>> fetch(batch.waiting())
        >>> batch.settle(), gaps
        (((0,), (1,)), [3, 3])
    """

    rows: int
    settled: bool  # it is known which rows make up a sample
    layout: Layout = field(init=False)  # rows of each sample; all of one, until they are known to be several
    flags: list[list[Reading]] = field(default_factory=list)  # which rows agree, at the first two steps
    _shared: list[list[Any]] = field(default_factory=list, init=False)  # lists of one value, that of all samples as yet

    def __post_init__(self) -> None:
        """All rows are one sample until more is known."""
        self.layout = (tuple(range(self.rows)),)

    @property
    def samples(self) -> int:
        """How many samples there are, as far as known."""
        return len(self.layout)

    def per_sample(self, value: T) -> list[T]:
        """A list of one value for each sample; where they are not told apart yet it grows by itself when they are."""
        values = [value] * len(self.layout)
        if not self.settled:
            self._shared.append(values)
        return values

    def watch(self, latent: Rows) -> None:
        """Ask which rows could be guidance branches of one sample."""
        if not self.settled:
            self.flags.append([Reading(flag) for flag in agreement(latent)])

    def watch_again(self, latent: Rows) -> None:
        """Ask anew: what was looked at was more than the latent."""
        if self.flags:
            self.flags = []
            self.watch(latent)

    def take_back(self) -> None:
        """Forget a look at what turned out to be the same step."""
        self.flags = self.flags[:1]

    def settle(self) -> Layout:
        """Split the batch into samples, once two steps have been looked at."""
        self.layout = settle(self.rows, *([flag.values[0] for flag in flags] for flags in self.flags))
        for values in self._shared:
            values *= len(self.layout)
        self.flags, self._shared, self.settled = [], [], True
        return self.layout

    def rows_of(self, samples: list[int]) -> list[int] | None:
        """The rows of some samples, in order; None for all rows."""
        if len(samples) == len(self.layout):
            return None
        return sorted(row for sample in samples for row in self.layout[sample])

    def waiting(self) -> list[Reading]:
        """Answers that have not crossed."""
        return [flag for flags in self.flags for flag in flags]
