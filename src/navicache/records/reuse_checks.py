"""Compares the error a gate predicted for reused steps with their true error (shadow mode)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from navicache.records.run import ErrorField, RunRecord

# What each field means, for axes and captions. An error gate predicts the error of this step. A ratio gate predicts
# how much the output changes from step to step; the sum since the last computed step is compared with its threshold,
# so that sum is its predicted error.
ERROR_FIELD_LABELS: dict[ErrorField, str] = {
    "predicted_change": "predicted error of the step",
    "accumulated": "predicted change since the last compute, accumulated",
}


def ratio_is_error_growth(run: RunRecord) -> bool:
    """Whether `ratio` is the error growth that an error gate estimates, not a ratio between two changes.

    Example:
        >>> ratio_is_error_growth(RunRecord(model="Toy", policy="inertial", belief="predicted_change"))
        False
    """
    known = (step.ratio is not None and step.predicted_change is not None for step in run.leading)
    return run.belief == "predicted_change" and any(known)


class ReuseCheck(NamedTuple):
    """Predicted and true error of a reused step, relative to the output."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    sample: int
    predicted_error: float | None
    true_error: float
    largest_error: float  # of all outputs


def collect_reuse_checks(run: RunRecord) -> tuple[ReuseCheck, ...]:
    """Collect every step that the policy would reuse and whose true error was measured, as shadow mode does.

    Example:
        >>> from navicache.records.step import StepRecord
        >>> step = StepRecord(index=7, stream="0", computed=False, reason="gate", predicted_change=0.2, reuse_error=0.1)
        >>> collect_reuse_checks(RunRecord(model="Toy", policy="inertial", steps=(step,), belief="predicted_change"))
        (ReuseCheck(index=7, sample=0, predicted_error=0.2, true_error=0.1, largest_error=0.1),)
    """
    checks: list[ReuseCheck] = []
    for step in run.leading:
        if not step.computed and step.reuse_error is not None:
            predicted_error = None if run.belief is None else getattr(step, run.belief)
            largest_error = max([step.reuse_error, *(step.other_errors or {}).values()])
            checks.append(ReuseCheck(step.index, step.sample, predicted_error, step.reuse_error, largest_error))
    return tuple(checks)


def compute_share_within_prediction(checks: Sequence[ReuseCheck]) -> float | None:
    """Share of the steps whose true error stayed within the predicted error; None without predictions."""
    known = [(check.true_error, check.predicted_error) for check in checks if check.predicted_error is not None]
    return _compute_share([true_error <= predicted for true_error, predicted in known])


def compute_share_within_limit(checks: Sequence[ReuseCheck], error_limit: float) -> float | None:
    """Share of the steps whose true errors, of every output, stayed within a limit; None without steps."""
    return _compute_share([check.largest_error <= error_limit for check in checks])


def read_max_error(run: RunRecord) -> float | None:
    """The policy's `max_error` knob, or None."""
    limit = run.settings.get("max_error")
    return limit if isinstance(limit, float | int) and not isinstance(limit, bool) else None


def describe_true_errors(run: RunRecord) -> str:
    """One line about the true errors of a shadow run; empty if none was measured."""
    checks = collect_reuse_checks(run)
    errors = sorted(check.true_error for check in checks if math.isfinite(check.true_error))
    if not errors:
        return ""
    quantiles = {"median": 0.5, "90 %": 0.9, "largest": 1.0}
    text = ", ".join(f"{name} {_pick_quantile(errors, share):.3g}" for name, share in quantiles.items())
    if len(errors) < len(checks):
        text += f", {len(checks) - len(errors)} not finite"
    return f"true error of those: {text}; {_describe_shares(run, checks)}"


def _describe_shares(run: RunRecord, checks: Sequence[ReuseCheck]) -> str:
    share, limit = compute_share_within_prediction(checks), read_max_error(run)
    parts = ["the policy predicts no error to compare with"]
    if share is not None:
        largest = max(check.predicted_error for check in checks if check.predicted_error is not None)
        parts = [f"{share:.0%} within the predicted (at most {largest:.3g})"]
    if limit is not None:
        parts.append(f"{compute_share_within_limit(checks, limit):.0%} within max_error {limit:g}")
    return ", ".join(parts)


def _pick_quantile(sorted_values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    return sorted_values[max(0, math.ceil(share * len(sorted_values)) - 1)]


def _compute_share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
