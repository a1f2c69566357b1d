"""What a compute teaches: measured on the device, learnt when it has crossed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Literal, NamedTuple

from navicache.engine.tensors.fetch import Reading
from navicache.engine.tracking.tracker import Moment
from navicache.policies import Outcome

MISSES = ("product of misses", "square of the miss before")

# What a lesson is about: an output, which teaches gate and predictor; a follower's difference from the leader, which
# teaches that stream's predictor alone; the truth about a step that was reused, which only the trace hears of.
About = Literal["output", "difference", "truth"]


class Proof(NamedTuple):
    """That a follower's output is whole: it teaches nothing, but NaN or infinity must not be reused."""

    stream: str
    rows: Sequence[int]
    size: Reading  # of the output, row by row

    def broken(self) -> set[int]:
        """The rows that cannot be reused."""
        return {row for row, size in zip(self.rows, self.size.values, strict=True) if not math.isfinite(size)}


@dataclass(frozen=True)
class Lesson:
    """A compute whose measurements may not have crossed yet."""

    moment: Moment
    stream: str
    rows: Sequence[int]  # the rows that were computed
    since: Sequence[tuple[int, ...] | None]  # the computed steps before, None without one at hand: as many as samples
    readings: dict[str, Reading]
    about: About = "output"

    def outcome(self, sample: int, rows: Sequence[int], number_of: Callable[[int], int]) -> Outcome | None:
        """What one sample, made of these rows, has learnt; None if it was not computed.

        `number_of` has the run's number of a step that the engine has counted.
        """
        places = [self.rows.index(row) for row in rows if row in self.rows]
        if not places:
            return None
        since = self.since[sample if len(self.since) > 1 else 0]  # of a batch that was not split yet, all share one
        index, computed = number_of(self.moment.own_index), [*map(number_of, since or ())]
        size = mean(self.readings["output_size"], places)
        known = self.readings if since is not None else {}
        return Outcome(
            **self.moment._replace(index=index)._asdict(),
            gap=0 if since is None else index - computed[0],
            input_change=mean(known.get("input_change"), places),
            output_change=mean(known.get("output_change"), places),
            output_size=size,
            prediction_error=relative(mean(known.get("prediction_error"), places), size),
            input_by_channel=mean_vector(known.get("input_by_channel"), places, len(self.rows)),
            output_by_channel=mean_vector(known.get("output_by_channel"), places, len(self.rows)),
            gaps=gaps(index, computed),
            products=self._products(len(computed), places),
            repeat=relative(*(mean(known.get(name), places) for name in MISSES)),
        )

    def _products(self, moves: int, places: Sequence[int]) -> tuple[tuple[float, ...], ...] | None:
        """The symmetric table of the products that were measured; None without two moves."""
        if moves < 2 or product_name(0, 1) not in self.readings:
            return None
        names = [[product_name(min(a, b), max(a, b)) for b in range(moves)] for a in range(moves)]
        return tuple(tuple(mean(self.readings[name], places) or 0.0 for name in row) for row in names)

    def broken(self, rows: Sequence[int]) -> bool:
        """Whether an output of these rows was NaN or infinite."""
        values = self.readings["output_size"].values
        return not all(math.isfinite(values[self.rows.index(row)]) for row in rows if row in self.rows)


def gaps(index: int, computed: Sequence[int]) -> tuple[int, ...]:
    """Steps since the newest computed step, between it and the one before, and so on.

    Example:
        >>> gaps(9, (7, 4, 3))
        (2, 3, 1)
    """
    return tuple(map(sub, (index, *computed), computed))


def product_name(a: int, b: int) -> str:
    """The reading that holds the product of two moves."""
    return f"product {a} {b}"


def mean(reading: Reading | None, rows: Sequence[int]) -> float | None:
    """Mean over the rows of one sample."""
    if reading is None:
        return None
    if len(rows) == 1:
        return reading.values[rows[0]]
    return sum(reading.values[row] for row in rows) / len(rows)


def mean_vector(reading: Reading | None, rows: Sequence[int], whole: int) -> tuple[float, ...] | None:
    """Mean over the rows of one sample, channel by channel; the reading holds `whole` rows."""
    if reading is None:
        return None
    width = len(reading.values) // whole
    columns = zip(*(reading.values[row * width : (row + 1) * width] for row in rows), strict=True)
    return tuple(sum(column) / len(rows) for column in columns)


def relative(value: float | None, size: float | None) -> float | None:
    """A value in units of a size, where both are known."""
    return None if value is None or not size else value / size
