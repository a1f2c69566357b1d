"""Noise levels of a run that nobody tells in advance: a flow's shift that fits what was seen so far.

    u_i = s t / (1 + (s - 1) t),     t = 1 - i / N

s is the shift: 1 spaces the levels evenly, published video models take 3 to 12.

The times of noise prediction are no levels: they count the betas, and nobody tells which. With linear betas the odds
sigma / alpha are 2.9 to 6.5 times those of the time, on average over a run 4; with scaled-linear betas 0.9 to 3.1, with
cosine betas 0.7 to 1.5. The input tells the first from the others: where the betas are linear it hardly moves at first.
"""

import math

from navicache.policies.protocols import NoiseLevels

SMALLEST_SHIFT, LARGEST_SHIFT = 0.25, 64.0
SHIFTS_PER_OCTAVE = 8  # a finer estimate would move no step, and each shift is planned once
TIME_SCALE = 1000.0  # of times that are above 1
LINEAR_BETAS_SHIFT, OTHER_BETAS_SHIFT = 4.0, 2.0
SLOW_START = 0.75  # of the distance that a flow moves; linear betas begin with 0.1 to 0.5, others with 0.8 to 1.6


def build_shifted_levels(total_steps: int, shift: float) -> NoiseLevels:
    """The noise levels of a flow with this shift.

    Example:
        >>> [round(level, 2) for level in build_shifted_levels(4, 3.0)]
        [1.0, 0.9, 0.75, 0.5, 0.0]
    """
    rest = (1 - step / total_steps for step in range(total_steps + 1))
    return tuple(shift * part / (1 + (shift - 1) * part) for part in rest)


def estimate_level(first_time: float | None, time: float | None) -> float | None:
    """The noise level of a model's time, relative to that of its first call; None if it cannot be told.

    Most models count down from noise. Some count up to the clean end.

    Example:
        >>> estimate_level(1000.0, 750.0), estimate_level(0.0, 0.25), estimate_level(0.0, 250.0)
        (0.75, 0.75, 0.75)
    """
    if first_time is None or time is None or not (math.isfinite(first_time) and math.isfinite(time)):
        return None
    if 0 <= time < first_time:
        return time / first_time
    end = TIME_SCALE if time > 1 else 1.0
    return (end - time) / (end - first_time) if 0 <= first_time < time <= end else None


def fit_shift(first_progress: float, progress: float, level: float) -> float:
    """The shift of a flow whose level has fallen to this share since `first_progress`, to an eighth of an octave.

    Example:
        >>> fit_shift(0.0, 0.25, 0.75), fit_shift(0.0, 0.5, 0.8), fit_shift(0.5, 0.75, 0.5), fit_shift(0.0, 0.5, 1.0)
        (1.0, 4.0, 1.0, 64.0)
    """
    before, now = 1 - first_progress, 1 - progress
    excess, fall = level * before - now, now * before * (1 - level)
    if excess <= (SMALLEST_SHIFT - 1) * fall:
        return SMALLEST_SHIFT
    if excess >= (LARGEST_SHIFT - 1) * fall:
        return LARGEST_SHIFT
    return 2 ** (round(SHIFTS_PER_OCTAVE * math.log2(1 + excess / fall)) / SHIFTS_PER_OCTAVE)


def counts_betas(first_step: int, first_time: float, step: int, time: float, total_steps: int) -> bool:
    """Whether two times of a run are indices of betas: whole, evenly spaced down to 0, and none of a flow's.

    Example:
        >>> counts_betas(1, 961, 2, 941, 50), counts_betas(1, 979, 2, 958, 50)
        (True, True)
        >>> counts_betas(1, 980, 2, 960, 50), counts_betas(1, 0.961, 2, 0.941, 50), counts_betas(1, 996, 2, 992, 50)
        (False, False, False)
    """
    if not (0 <= time < first_time < TIME_SCALE and first_time.is_integer() and time.is_integer()):
        return False
    passed, left = step - first_step, total_steps - 1 - step
    spacing = (first_time - time) / passed
    end, slack = time - left * spacing, left / passed + 1  # rounding can be wrong by one
    of_flow = TIME_SCALE * (1 - step / total_steps)
    return -slack <= end <= spacing + slack and abs(time - of_flow) > 0.5


def choose_betas_shift(pace: float | None) -> float:
    """The shift that stands for unknown betas; `pace` is the early way of the input, where a flow has 1.

    Example:
        >>> choose_betas_shift(0.4), choose_betas_shift(1.2)
        (4.0, 2.0)
    """
    return LINEAR_BETAS_SHIFT if pace is not None and pace < SLOW_START else OTHER_BETAS_SHIFT
