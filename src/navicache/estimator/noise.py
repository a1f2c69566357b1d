"""Process and measurement noise as a constant or as a schedule over the run.

The paper's abstract promises a time-dependent noise schedule; its experiments and the official code use the constants
Q = R = 0.05. Both are a `Noise` here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from navicache.estimator.gaussian import check_variance


@dataclass(frozen=True)
class NoiseSchedule:
    """A noise that changes over the run: straight lines between (progress, value) points, constant outside them.

    Progress is 0 at the first step of a run and 1 at the last.

    Example:
        >>> falling = NoiseSchedule(((0.0, 0.5), (0.5, 0.1)))
        >>> falling.interpolate(0.25), falling.interpolate(0.9)
        (0.3, 0.1)
        >>> falling.mean
        0.2
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        """Raise ValueError unless the points draw one line over the run."""
        if not self.points:
            raise ValueError("points is empty: give at least one (progress, value) pair, for example ((0.0, 0.05),)")
        for progress, noise in self.points:
            if not 0.0 <= progress <= 1.0:
                raise ValueError(f"progress {progress} is not in [0, 1]: 0 is the first step of a run, 1 the last")
            check_variance(f"the value at progress {progress}", noise)
        for (before, _), (after, _) in pairwise(self.points):
            if before >= after:
                raise ValueError(f"progress {after} follows {before}: sort the points and give each progress once")

    def interpolate(self, progress: float) -> float:
        """The value at `progress`: ((b - p) v_a + (p - a) v_b) / (b - a) between the points at a and b.

        Example:
            >>> NoiseSchedule(((0.0, 1.0), (1.0, 3.0))).interpolate(0.5)
            2.0
        """
        if math.isnan(progress):
            raise ValueError("progress is NaN: where progress is unknown, use evaluate_noise(schedule, None)")
        if progress <= self.points[0][0]:
            return self.points[0][1]
        for (a, v_a), (b, v_b) in pairwise(self.points):
            if progress <= b:
                share = (progress - a) / (b - a)
                return (1.0 - share) * v_a + share * v_b
        return self.points[-1][1]

    @property
    def mean(self) -> float:
        """The integral of the value over progress 0 to 1.

        Example:
            >>> NoiseSchedule(((0.5, 1.0), (1.0, 3.0))).mean
            1.5
        """
        ends = ((0.0, self.points[0][1]), *self.points, (1.0, self.points[-1][1]))
        return sum((b - a) * (0.5 * v_a + 0.5 * v_b) for (a, v_a), (b, v_b) in pairwise(ends))


Noise = float | NoiseSchedule


def evaluate_noise(noise: Noise, progress: float | None) -> float:
    """The noise at `progress`; the mean of the schedule if `progress` is None.

    Example:
        >>> evaluate_noise(0.05, 0.3), evaluate_noise(NoiseSchedule(((0.0, 1.0), (1.0, 3.0))), None)
        (0.05, 2.0)
    """
    if not isinstance(noise, NoiseSchedule):
        return noise
    return noise.mean if progress is None else noise.interpolate(progress)


def check_noise(name: str, noise: Noise) -> None:
    """Raise ValueError for a constant that is not a variance; a `NoiseSchedule` checks itself.

    Example:
        >>> check_noise("process_noise", 0.05)
        >>> check_noise("process_noise", -0.05)
        Traceback (most recent call last):
        ValueError: process_noise is -0.05: give a finite number that is not negative
    """
    if not isinstance(noise, NoiseSchedule):
        check_variance(name, noise)


def read_noise(name: str, value: object) -> Any:
    """A list of [progress, value] points as a `NoiseSchedule`, which a plan or a JSON file can say; else the value.

    Example:
        >>> read_noise("process_noise", [[0.0, 0.5], [0.5, 0.1]]).interpolate(0.25)
        0.3
        >>> read_noise("process_noise", [0.5, 0.1])
        Traceback (most recent call last):
        ValueError: process_noise has a point 0.5: give [progress, value] pairs such as [[0.0, 0.2], [0.5, 0.05]]
    """
    if not isinstance(value, list | tuple):
        return value
    points = cast(Sequence[object], value)
    for point in points:
        if not _is_pair_of_numbers(point):
            hint = "give [progress, value] pairs such as [[0.0, 0.2], [0.5, 0.05]]"
            raise ValueError(f"{name} has a point {point!r}: {hint}")
    try:
        return NoiseSchedule(tuple((p, v) for p, v in cast(Sequence[Sequence[float]], points)))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _is_pair_of_numbers(point: object) -> bool:
    if not isinstance(point, list | tuple) or len(cast(Sequence[object], point)) != 2:
        return False
    return all(isinstance(n, int | float) and not isinstance(n, bool) for n in cast(Sequence[object], point))
