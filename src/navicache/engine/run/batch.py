"""Which rows of a call are one sample: looked at in two steps, then known for the rest of the run."""

from dataclasses import dataclass, field

from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.layout import Layout, agreement, settle
from navicache.engine.tensors.rows import Rows


@dataclass
class Batch:
    """The rows of every call of a run."""

    rows: int
    settled: bool  # it is known which rows make up a sample
    layout: Layout = field(init=False)  # rows of each sample; all of one, until they are known to be several
    flags: list[list[Reading]] = field(default_factory=list)  # which rows agree, at the first two steps

    def __post_init__(self) -> None:
        """All rows are one sample until more is known."""
        self.layout = (tuple(range(self.rows)),)

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
        self.flags, self.settled = [], True
        return self.layout

    def rows_of(self, samples: list[int]) -> list[int] | None:
        """The rows of some samples, in order; None for all rows."""
        if len(samples) == len(self.layout):
            return None
        return sorted(row for sample in samples for row in self.layout[sample])

    def waiting(self) -> list[Reading]:
        """Answers that have not crossed."""
        return [flag for flags in self.flags for flag in flags]
