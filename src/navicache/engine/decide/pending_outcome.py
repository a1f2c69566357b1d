"""The outcome of a compute: measured on the device, learnt after the transfer to the host."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Any, Literal, NamedTuple

from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tracking.run_tracker import StepPosition
from navicache.policies import Outcome

ERROR_PRODUCT_NAMES = ("product of misses", "square of the miss before")

# What a lesson is about: an output, which teaches gate and predictor; a follower's difference from the leader, which
# teaches that stream's predictor alone; the truth about a step that was reused, which only the trace hears of.
OutcomeSubject = Literal["output", "difference", "truth"]


class FiniteCheck(NamedTuple):
    """Checks that the output of a follower is finite: NaN or infinity must not be reused."""

    stream: str
    rows: Sequence[int]
    output_magnitude: DeviceReading  # of the output, row by row

    def find_nonfinite_rows(self) -> set[int]:
        """The rows that cannot be reused."""
        sizes = zip(self.rows, self.output_magnitude.values, strict=True)
        return {row for row, size in sizes if not math.isfinite(size)}


@dataclass(frozen=True)
class PendingOutcome:
    """The outcome of a compute whose measurements may still be on the device."""

    position: StepPosition
    stream: str
    rows: Sequence[int]  # the rows that were computed
    # The computed steps before, None without one at hand: as many as samples.
    previous_steps: Sequence[tuple[int, ...] | None]
    readings: dict[str, DeviceReading]
    subject: OutcomeSubject = "output"
    output_path: tuple[Any, ...] | None = None  # of an output beside the prediction

    def build_outcome(self, sample: int, rows: Sequence[int], to_run_index: Callable[[int], int]) -> Outcome | None:
        """Build the outcome of one sample, which has these rows; None if it was not computed.

        `number_of` has the run's number of a step that the engine has counted.
        """
        places = [self.rows.index(row) for row in rows if row in self.rows]
        if not places:
            return None
        # In a batch that was not split yet all share one.
        since = self.previous_steps[sample if len(self.previous_steps) > 1 else 0]
        index, computed = to_run_index(self.position.local_index), [*map(to_run_index, since or ())]
        size = average_rows(self.readings["output_magnitude"], places)
        known = self.readings if since is not None else {}
        return Outcome(
            **self.position._replace(index=index)._asdict(),
            gap=0 if since is None else index - computed[0],
            input_change=average_rows(known.get("input_change"), places),
            output_change=average_rows(known.get("output_change"), places),
            output_magnitude=size,
            prediction_error=divide_known(average_rows(known.get("prediction_error"), places), size),
            input_by_channel=average_rows_by_channel(known.get("input_by_channel"), places, len(self.rows)),
            output_by_channel=average_rows_by_channel(known.get("output_by_channel"), places, len(self.rows)),
            gaps=compute_gaps(index, computed),
            inner_products=self._build_inner_products(len(computed), places),
            error_correlation=divide_known(*(average_rows(known.get(name), places) for name in ERROR_PRODUCT_NAMES)),
        )

    def _build_inner_products(self, move_count: int, positions: Sequence[int]) -> tuple[tuple[float, ...], ...] | None:
        """The symmetric table of the products that were measured; None without two moves."""
        if move_count < 2 or name_product_reading(0, 1) not in self.readings:
            return None
        names = [[name_product_reading(min(a, b), max(a, b)) for b in range(move_count)] for a in range(move_count)]
        return tuple(tuple(average_rows(self.readings[name], positions) or 0.0 for name in row) for row in names)

    def has_nonfinite_output(self, rows: Sequence[int]) -> bool:
        """Whether an output of these rows was NaN or infinite."""
        values = self.readings["output_magnitude"].values
        return not all(math.isfinite(values[self.rows.index(row)]) for row in rows if row in self.rows)


def compute_gaps(index: int, computed_indices: Sequence[int]) -> tuple[int, ...]:
    """Steps since the newest computed step, between it and the one before, and so on.

    Example:
        >>> compute_gaps(9, (7, 4, 3))
        (2, 3, 1)
    """
    return tuple(map(sub, (index, *computed_indices), computed_indices))


def name_product_reading(a: int, b: int) -> str:
    """The reading that holds the product of two moves."""
    return f"product {a} {b}"


def average_rows(reading: DeviceReading | None, rows: Sequence[int]) -> float | None:
    """Mean over the rows of one sample."""
    if reading is None:
        return None
    if len(rows) == 1:
        return reading.values[rows[0]]
    return sum(reading.values[row] for row in rows) / len(rows)


def average_rows_by_channel(
    reading: DeviceReading | None, rows: Sequence[int], row_count: int
) -> tuple[float, ...] | None:
    """Mean over the rows of one sample, channel by channel; the reading holds `whole` rows."""
    if reading is None:
        return None
    width = len(reading.values) // row_count
    columns = zip(*(reading.values[row * width : (row + 1) * width] for row in rows), strict=True)
    return tuple(sum(column) / len(rows) for column in columns)


def divide_known(value: float | None, magnitude: float | None) -> float | None:
    """A value in units of a size, where both are known."""
    return None if value is None or not magnitude else value / magnitude
