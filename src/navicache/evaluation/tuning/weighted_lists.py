"""Lists of computed steps from a weight: dense where it is large.

The weight of a step depends on its place p in the run (0 to 1), or on how far the sampler moves there. The first three
steps and the last are computed, and others where the sum of the weight passes a whole number.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

FIRST_STEPS = 3  # always computed: a line through two may fail at a long gap
FARTHEST = 0.999  # noise levels of 0 and 1 have no logarithm


class StepFacts(NamedTuple):
    """What the weight of a step may depend on."""

    place: float  # in the run, from 0 to 1
    level: float  # of noise, before the step
    next_level: float  # and after it

    @property
    def move(self) -> float:
        """How far the sampler moves."""
        return abs(self.level - self.next_level)


Weight = Callable[[StepFacts], float]


def dense_ends(start: float = 0.0, start_decay: float = 0.1, end: float = 0.0, end_decay: float = 0.1) -> Weight:
    """1 + A exp(-p/a) + B exp(-(1-p)/b)."""
    return lambda step: 1 + start * math.exp(-step.place / start_decay) + end * math.exp(-(1 - step.place) / end_decay)


def noise_move(power: float, boost: float = 0.0) -> Weight:
    """|step of the noise level|^q (1 + B exp(-(1 - level)/0.1))."""
    return lambda step: step.move**power * (1 + boost * math.exp(-(1 - step.level) / 0.1))


def log_move(step: StepFacts) -> float:
    """The step of the logarithm of sigma / alpha."""
    before, after = (min(FARTHEST, max(1 - FARTHEST, level)) for level in (step.level, step.next_level))
    return abs(math.log(before / (1 - before)) - math.log(after / (1 - after)))


LISTS: dict[str, Weight] = {
    "even": dense_ends(),
    "start 4": dense_ends(4),
    "start 16": dense_ends(16),
    "start 32, short": dense_ends(32, 0.05, 4, 0.05),
    "end 4": dense_ends(end=4),
    "end 16": dense_ends(end=16, end_decay=0.2),
    "start 4, end 8": dense_ends(4, 0.1, 8, 0.2),
    "start 16, end 4": dense_ends(16, 0.1, 4, 0.05),
    "start 16, end 16": dense_ends(16, 0.1, 16, 0.2),
    "sigma": noise_move(1),
    "sigma, start 8": noise_move(1, 8),
    "root of sigma": noise_move(0.5),
    "root of sigma, start 4": noise_move(0.5, 4),
    "root of sigma, start 16": noise_move(0.5, 16),
    "log sigma": log_move,
}


def weigh_steps(weight: Weight, levels: Sequence[float], count: int) -> list[int]:
    """The steps that a list computes; `levels` has the noise level before each step, and the last one after all.

    Example:
        >>> weigh_steps(LISTS["even"], [1, 0.9, 0.8, 0.6, 0.4, 0.2, 0], 5)
        [0, 1, 2, 3, 5]
    """
    steps = len(levels) - 1
    between = range(FIRST_STEPS, steps - 1)
    facts = [StepFacts(step / (steps - 1), levels[step], levels[step + 1]) for step in between]
    shares = scale_to_sum([max(weight(step), 1e-9) for step in facts], count - FIRST_STEPS - 1)
    chosen: list[int] = []
    passed = 0.5
    for step, share in zip(between, shares, strict=True):
        passed += share
        if passed >= len(chosen) + 1 - 1e-9 and len(chosen) < count - FIRST_STEPS - 1:
            chosen.append(step)
    return [*range(FIRST_STEPS), *chosen, steps - 1]


def scale_to_sum(weights: Sequence[float], total: int) -> list[float]:
    """Scale the weights by one factor so that they add up to `total` with none above 1.

    Example:
        >>> scale_to_sum([3.0, 1.0, 1.0], 2)
        [1.0, 0.5, 0.5]
    """
    low, high = 0.0, total / min(weights)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(min(1.0, middle * weight) for weight in weights) < total else (low, middle)
    return [min(1.0, round(high * weight, 9)) for weight in weights]
