"""Explain why a step was computed or reused, with its numbers."""

import math

from navicache.records import RunRecord, StepRecord, label_output, ratio_is_error_growth

# By the reason in the trace: why computed, why reused.
REASONS = {
    "align": ("the first steps are always computed: there is nothing yet to predict from", ""),
    "last step": ("the last step is always computed: no later one could make up for its error", ""),
    "budget": (
        "the schedule of this speed-up computes it, dense at both ends of the run",
        "the schedule of this speed-up leaves it out, and its output is predicted",
    ),
    "schedule": ("the schedule computes it", "the schedule leaves it out, and its output is predicted"),
    "gate": (
        "the error that would have accumulated reaches the threshold",
        "the accumulated error stays below the threshold, so its output is predicted",
    ),
    "limit": ("enough steps in a row were reused", ""),
    "longest reuse": ("as many steps in a row were reused as the policy allows", ""),
    "calibration": ("a calibration computes every step", ""),
    "retention": ("the policy computes the whole first part of a run", ""),
    "no error yet": ("no prediction has been compared with a computed output yet", ""),
    "no ratio yet": ("no ratio has been measured yet", ""),
    "no signal yet": ("the signal has not been seen yet", ""),
    "no reference": ("there was nothing kept to predict from", ""),
    "not finite": ("a measurement was not finite, so nothing could be predicted from it", ""),
    "too few steps": ("the run is too short to reuse any step", ""),
    "ranks apart": ("the processes of this run were at different steps, so nothing could be reused", ""),
    "follows": ("it follows the leading stream", "it follows the leading stream"),
}


def explain_step(run: RunRecord, step: StepRecord) -> str:
    """One step as a sentence, and its measurements.

    Example:
        >>> step = StepRecord(index=4, stream="cond", computed=False, reason="gate", accumulated=0.02, threshold=0.05)
        >>> print(explain_step(RunRecord(model="Toy", policy="navicache", steps=(step,)), step))
        Step 4, reused: the accumulated error stays below the threshold, so its output is predicted.
        accumulated error 0.02 of 0.05
    """
    did = "computed" if step.computed else "reused"
    why = REASONS.get(step.reason, ("", ""))[0 if step.computed else 1] or step.reason
    return "\n".join([f"Step {step.index}, {did}: {why}.", *filter(None, [" · ".join(step_numbers(run, step))])])


def step_numbers(run: RunRecord, step: StepRecord) -> list[str]:
    """The measurements of a step; sums are shown only if there was a threshold."""
    held = bool(step.threshold)
    sums = {
        "predicted error" if ratio_is_error_growth(run) else "predicted change": step.predicted_change,
        "accumulated error": step.accumulated,
    }
    known = {
        "timestep": step.time,
        "input change": step.input_change,
        **({name: value for name, value in sums.items() if held}),
        "growth" if ratio_is_error_growth(run) else "ratio": step.ratio,
        "measured ratio": None if ratio_is_error_growth(run) else step.measured_ratio,
        "output change": step.output_change,
    }
    lines = [f"{name} {value:.4g}" for name, value in known.items() if value is not None and math.isfinite(value)]
    lines = [f"{line} of {step.threshold:.4g}" if line.startswith("accumulated") else line for line in lines]
    return [*lines, *_prediction_error(step)]


def _prediction_error(step: StepRecord) -> list[str]:
    """The error of the prediction of every output, as far as it is known."""
    would = "a prediction would have been off by" if step.computed else "the prediction was off by"
    errors = {} if step.reuse_error is None else {would: step.reuse_error}
    errors |= {f"that of {label_output(name)} by": error for name, error in (step.other_errors or {}).items()}
    return [f"{words} {error:.1%}" for words, error in errors.items() if math.isfinite(error)]
