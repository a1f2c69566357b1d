"""Initial alignment: how the ratios of the first computed steps start the filter.

Paper and official code disagree, so the choice has a name:

1. "mean": r_0 = (1/n) sum z_k, P_0 = initial variance. The paper's method section.
2. "newest": r_0 = z_n, P_0 = initial variance. The official code for Wan2.1, HunyuanVideo and Open-Sora: every
   alignment step overwrites ratio and variance.
3. "filtered": r_0 = 0, P_0 = initial variance before the first ratio, then the ordinary filter. The paper's
   implementation paragraph and the official code for Wan2.2.

The first two leave the filter as uncertain as it began, so its first gain after alignment is near 1.
"""

from typing import Literal, get_args

from navicache.estimator.diagonal_filter import DiagonalFilter, check_ratio_count
from navicache.estimator.ratio_filters import BeliefT

AlignmentForm = Literal["mean", "newest", "filtered"]


def align_beliefs(
    filter: DiagonalFilter[BeliefT],  # noqa: A002 - named as in Diagonal.filter; the built-in is not used here
    form: AlignmentForm,
    beliefs: tuple[BeliefT, ...] | None,
    previous_count: int,
    z: tuple[float, ...],
    progress: float | None,
) -> tuple[tuple[BeliefT, ...], tuple[float, ...]]:
    """Beliefs and gains after one more alignment ratio z, `count` ratios having been seen before.

    `beliefs` is what the earlier calls left, None before the first. With `count` 0 and beliefs at hand (a second
    alignment in one run) "mean" and "newest" start afresh and "filtered" goes on. The gains say how far z pulled the
    ratio: 1 / (count + 1) for "mean", 1 for "newest", K for "filtered".

    Example:
        >>> from navicache.estimator.ratio_filters import Walk
        >>> walk = DiagonalFilter(Walk())
        >>> beliefs, gains = align_beliefs(walk, "mean", None, 0, (1.0,), None)
        >>> align_beliefs(walk, "mean", beliefs, 1, (2.0,), None)
        ((Gaussian(mean=1.5, variance=1.0),), (0.5,))
        >>> align_beliefs(walk, "newest", beliefs, 1, (2.0,), None)
        ((Gaussian(mean=2.0, variance=1.0),), (1.0,))
    """
    _check_align_arguments(form, beliefs, previous_count, z)
    if form == "filtered":
        before = filter.start_beliefs((0.0,) * len(z)) if beliefs is None else beliefs
        return filter.correct(filter.predict(before, progress), z, progress)
    if form == "newest" or beliefs is None or previous_count == 0:
        return filter.start_beliefs(z), (1.0,) * len(z)
    share = 1.0 / (previous_count + 1)
    ratios = filter.extract_ratios(beliefs)
    means = tuple(ratio.mean + share * (new - ratio.mean) for ratio, new in zip(ratios, z, strict=True))
    return filter.start_beliefs(means), (share,) * len(z)


def _check_align_arguments(
    form: str, beliefs: tuple[object, ...] | None, previous_count: int, z: tuple[float, ...]
) -> None:
    """Refuse an unknown form and arguments that contradict each other."""
    known = get_args(AlignmentForm)
    if form not in known:
        raise ValueError(f"unknown alignment form {form!r}: choose one of {', '.join(known)}")
    if previous_count < 0:
        raise ValueError(f"count is {previous_count}: give the number of alignment ratios seen before this one")
    if beliefs is None and previous_count > 0:
        raise ValueError(f"beliefs is None after {previous_count} ratios: pass the beliefs the last call returned")
    if beliefs is not None:
        check_ratio_count(beliefs, z)
