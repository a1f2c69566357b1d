"""Predictions against the truth: what a gate believed of the steps it reused, and how far off those really were."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from navicache.records.run import Belief, RunRecord

# What each belief is about, for axes and captions. An error gate predicts the error of this very step. A ratio gate
# predicts how much the output changes from step to step; what it has summed up since the last compute is what it holds
# against its threshold, and so what it believes a reuse costs.
BELIEF_WORDS: dict[Belief, str] = {
    "predicted_change": "predicted error of the step",
    "accumulated": "predicted change since the last compute, accumulated",
}


def shows_growth(run: RunRecord) -> bool:
    """Whether `ratio` is how fast errors grow, an error gate's estimate, and not a ratio between two changes.

    Example:
        >>> shows_growth(RunRecord(model="Toy", policy="inertial", belief="predicted_change"))
        False
    """
    known = (step.ratio is not None and step.predicted_change is not None for step in run.leading)
    return run.belief == "predicted_change" and any(known)


class Checked(NamedTuple):
    """A reused step whose truth is known; errors are relative to the output."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    sample: int
    believed: float | None
    true: float


def checked_steps(run: RunRecord) -> tuple[Checked, ...]:
    """Every step that was decided to be reused and whose true error was measured, which shadow mode does.

    Example:
        >>> from navicache.records.step import StepRecord
        >>> step = StepRecord(index=7, stream="0", computed=False, reason="gate", predicted_change=0.2, reuse_error=0.1)
        >>> checked_steps(RunRecord(model="Toy", policy="inertial", steps=(step,), belief="predicted_change"))
        (Checked(index=7, sample=0, believed=0.2, true=0.1),)
    """
    return tuple(
        Checked(step.index, step.sample, None if run.belief is None else getattr(step, run.belief), step.reuse_error)
        for step in run.leading
        if not step.computed and step.reuse_error is not None
    )


def share_believed(steps: Sequence[Checked]) -> float | None:
    """Share of the steps whose true error stayed within what was believed; None where nothing was."""
    return _share([step.true <= step.believed for step in steps if step.believed is not None])


def share_below(steps: Sequence[Checked], limit: float) -> float | None:
    """Share of the steps whose true error stayed within a limit; None without steps."""
    return _share([step.true <= limit for step in steps])


def max_error(run: RunRecord) -> float | None:
    """The largest error the policy was told to allow, where it has such a knob."""
    limit = run.settings.get("max_error")
    return limit if isinstance(limit, float | int) and not isinstance(limit, bool) else None


def describe_truth(run: RunRecord) -> str:
    """One line about the true errors of a shadow run; nothing where none was measured."""
    steps = checked_steps(run)
    errors = sorted(step.true for step in steps if math.isfinite(step.true))
    if not errors:
        return ""
    quantiles = {"median": 0.5, "90 %": 0.9, "largest": 1.0}
    text = ", ".join(f"{name} {_quantile(errors, share):.3g}" for name, share in quantiles.items())
    if len(errors) < len(steps):
        text += f", {len(steps) - len(errors)} not finite"
    return f"true error of those: {text}; {_verdicts(run, steps)}"


def _verdicts(run: RunRecord, steps: Sequence[Checked]) -> str:
    believed, limit = share_believed(steps), max_error(run)
    parts = ["the policy predicts no error to compare with"]
    if believed is not None:
        most = max(step.believed for step in steps if step.believed is not None)
        parts = [f"{believed:.0%} within the predicted (at most {most:.3g})"]
    if limit is not None:
        parts.append(f"{share_below(steps, limit):.0%} within max_error {limit:g}")
    return ", ".join(parts)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of all does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
