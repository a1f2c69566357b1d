"""Noise levels of a run that nobody tells in advance: a flow's shift that fits what was seen so far.

    u_i = s t / (1 + (s - 1) t),     t = 1 - i / N

s is the shift: 1 spaces the levels evenly, published video models take 3 to 12.

The times of noise prediction are no levels: they count the betas, and nobody tells which. With linear betas the odds
sigma / alpha are 2.9 to 6.5 times those of the time, in the middle of a run 3.4. With scaled-linear and cosine betas
they are nearer to those of the time, but a list for 3.5 is no worse there (docs/research). Half of the steps can pay
for a dense start and a dense end, so there the times are taken for levels; two fifths have the whole shift.
"""

import math

from navicache.policies.protocols import NoiseLevels

SMALLEST_SHIFT, LARGEST_SHIFT = 0.25, 64.0
SHIFTS_PER_OCTAVE = 8  # a finer estimate would move no step, and each shift is planned once
TIME_SCALE = 1000.0  # of times that are above 1
BETAS_SHIFT, UNSHIFTED_SPEEDUP, SHIFTED_SPEEDUP = 3.5, 2.0, 2.5


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
    """Whether two times of a run are indices of betas: whole, evenly spaced, and not those of a flow.

    Example:
        >>> counts_betas(1, 961, 2, 941, 50), counts_betas(1, 979, 2, 958, 50)
        (True, True)
        >>> counts_betas(1, 980, 2, 960, 50), counts_betas(1, 0.961, 2, 0.941, 50), counts_betas(1, 996, 2, 992, 50)
        (False, False, False)
    """
    if not 0 <= time < first_time < TIME_SCALE or first_time % 1 or time % 1:
        return False
    passed, left = step - first_step, total_steps - step
    if passed <= 0 or abs(first_time * left - time * (left + passed)) < 0.5:  # a flow ends at 0
        return False
    spacing = (first_time - time) / passed
    slack = left / passed + 1  # rounding can be wrong by one
    return -slack <= time - (left - 1) * spacing <= spacing + slack


def scale_betas_shift(speedup: float) -> float:
    """The shift that stands for unknown betas: 1 up to a speed-up of 2, the whole from 2.5 on.

    Example:
        >>> scale_betas_shift(1.5), scale_betas_shift(2.25) ** 2, scale_betas_shift(4.0)
        (1.0, 3.5, 3.5)
    """
    share = (speedup - UNSHIFTED_SPEEDUP) / (SHIFTED_SPEEDUP - UNSHIFTED_SPEEDUP)
    return BETAS_SHIFT ** min(max(share, 0.0), 1.0)
