"""What to search for: a speed-up, or a quality to keep."""

import re
from dataclasses import dataclass
from typing import cast

from navicache.evaluation.tuning.scores import BEST_SCORES, Metric

FORM = re.compile(r"\s*(psnr|ssim|lpips)\s*(<=|>=)\s*([0-9.eE+-]+)\s*")


@dataclass(frozen=True)
class Target:
    """A speed-up to have with the best score, or a limit to keep as fast as can be."""

    metric: Metric = "psnr"
    speedup: float | None = None
    limit: float | None = None

    def __str__(self) -> str:
        """As the user says it."""
        if self.speedup is not None:
            return f"speedup {self.speedup:g}"
        return f"{self.metric} {'<=' if self.metric == 'lpips' else '>='} {self.limit:g}"


def parse_quality(text: str) -> Target:
    """A quality to keep, as the user writes it.

    Example:
        >>> str(parse_quality("lpips<=0.05")), str(parse_quality("psnr >= 32"))
        ('lpips <= 0.05', 'psnr >= 32')
        >>> parse_quality("psnr<=32")
        Traceback (most recent call last):
        ValueError: psnr is better when it is higher: write psnr>=32
    """
    found = FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"a quality is lpips<=0.05, psnr>=32 or ssim>=0.95, got {text!r}")
    metric, sign, number = cast(Metric, found[1]), found[2], found[3]
    try:
        limit = float(number)
    except ValueError as error:
        raise ValueError(f"a quality ends in a number, got {text!r}") from error
    right = "<=" if metric == "lpips" else ">="
    if sign != right:
        better = "lower" if right == "<=" else "higher"
        raise ValueError(f"{metric} is better when it is {better}: write {metric}{right}{number}")
    best = BEST_SCORES[metric]
    bounds = sorted((0.0, max(best, 1.0)))
    if not bounds[0] <= limit <= bounds[1] or limit == best:  # only an equal run has the best; NaN is outside
        raise ValueError(f"{metric}{right}{number} is kept by no faster run: give another limit")
    return Target(metric=metric, limit=limit)
