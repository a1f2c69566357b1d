"""Which rows of a call belong to one sample: checked at two steps, then known for the rest of the run."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import Rows
from navicache.engine.tensors.sample_layout import SampleLayout, choose_layout, compare_layouts

ValueT = TypeVar("ValueT")


@dataclass
class BatchSamples:
    """The rows of every call of a run, and the only owner of the number of samples.

    Example:
        >>> import torch
        >>> from navicache.engine.tensors.device_readings import fetch_readings
        >>> batch = BatchSamples(row_count=2, is_layout_known=False)
        >>> gaps = batch.create_sample_list(3)  # all rows may still be one sample
        >>> batch.queue_layout_check((torch.tensor([[0.0], [1.0]]),))
        >>> fetch_readings(batch.list_pending_readings())
        >>> batch.resolve_layout(), gaps
        (((0,), (1,)), [3, 3])
    """

    row_count: int
    is_layout_known: bool  # it is known which rows make up a sample
    layout: SampleLayout = field(init=False)  # rows of each sample; all of one, until they are known to be several
    layout_flags: list[list[DeviceReading]] = field(default_factory=list)  # which rows agree, at the first two steps
    _shared_lists: list[list[Any]] = field(default_factory=list, init=False)  # of one value, so far that of all samples

    def __post_init__(self) -> None:
        """All rows are one sample until more is known."""
        self.layout = (tuple(range(self.row_count)),)

    @property
    def sample_count(self) -> int:
        """How many samples there are, as far as known."""
        return len(self.layout)

    def create_sample_list(self, value: ValueT) -> list[ValueT]:
        """Create a list with one value per sample; it grows when the batch is split into samples."""
        values = [value] * len(self.layout)
        if not self.is_layout_known:
            self._shared_lists.append(values)
        return values

    def queue_layout_check(self, latent: Rows) -> None:
        """Ask which rows could be guidance branches of one sample."""
        if not self.is_layout_known:
            self.layout_flags.append([DeviceReading(flag) for flag in compare_layouts(latent)])

    def restart_layout_check(self, latent: Rows) -> None:
        """Check again: the rows compared so far held more than the latent."""
        if self.layout_flags:
            self.layout_flags = []
            self.queue_layout_check(latent)

    def discard_second_check(self) -> None:
        """Discard the second check: it was made on the same step as the first."""
        self.layout_flags = self.layout_flags[:1]

    def resolve_layout(self) -> SampleLayout:
        """Split the batch into samples, once two steps have been looked at."""
        known = ([flag.values[0] for flag in flags] for flags in self.layout_flags)
        self.layout = choose_layout(self.row_count, *known)
        for values in self._shared_lists:
            values *= len(self.layout)
        self.layout_flags, self._shared_lists, self.is_layout_known = [], [], True
        return self.layout

    def select_rows(self, samples: list[int]) -> list[int] | None:
        """The rows of some samples, in order; None for all rows."""
        if len(samples) == len(self.layout):
            return None
        return sorted(row for sample in samples for row in self.layout[sample])

    def list_pending_readings(self) -> list[DeviceReading]:
        """Answers that have not crossed."""
        return [flag for flags in self.layout_flags for flag in flags]
