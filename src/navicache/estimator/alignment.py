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

from navicache.estimator.diagonal import Diagonal, check_lengths
from navicache.estimator.filters import B

AlignmentForm = Literal["mean", "newest", "filtered"]


def align(
    filter: Diagonal[B],  # noqa: A002 - named as in Diagonal.filter; the built-in is not used here
    form: AlignmentForm,
    beliefs: tuple[B, ...] | None,
    count: int,
    z: tuple[float, ...],
    progress: float | None,
) -> tuple[tuple[B, ...], tuple[float, ...]]:
    """Beliefs and gains after one more alignment ratio z, `count` ratios having been seen before.

    `beliefs` is what the earlier calls left, None before the first. With `count` 0 and beliefs at hand (a second
    alignment in one run) "mean" and "newest" start afresh and "filtered" goes on. The gains say how far z pulled the
    ratio: 1 / (count + 1) for "mean", 1 for "newest", K for "filtered".

    Example:
        >>> from navicache.estimator.filters import Walk
        >>> walk = Diagonal(Walk())
        >>> beliefs, gains = align(walk, "mean", None, 0, (1.0,), None)
        >>> align(walk, "mean", beliefs, 1, (2.0,), None)
        ((Gaussian(mean=1.5, variance=1.0),), (0.5,))
        >>> align(walk, "newest", beliefs, 1, (2.0,), None)
        ((Gaussian(mean=2.0, variance=1.0),), (1.0,))
    """
    _check(form, beliefs, count, z)
    if form == "filtered":
        before = filter.start((0.0,) * len(z)) if beliefs is None else beliefs
        return filter.correct(filter.predict(before, progress), z, progress)
    if form == "newest" or beliefs is None or count == 0:
        return filter.start(z), (1.0,) * len(z)
    share = 1.0 / (count + 1)
    ratios = filter.ratios(beliefs)
    means = tuple(ratio.mean + share * (new - ratio.mean) for ratio, new in zip(ratios, z, strict=True))
    return filter.start(means), (share,) * len(z)


def _check(form: str, beliefs: tuple[object, ...] | None, count: int, z: tuple[float, ...]) -> None:
    """Refuse an unknown form and arguments that contradict each other."""
    known = get_args(AlignmentForm)
    if form not in known:
        raise ValueError(f"unknown alignment form {form!r}: choose one of {', '.join(known)}")
    if count < 0:
        raise ValueError(f"count is {count}: give the number of alignment ratios seen before this one")
    if beliefs is None and count > 0:
        raise ValueError(f"beliefs is None after {count} ratios: pass the beliefs the last call returned")
    if beliefs is not None:
        check_lengths(beliefs, z)
