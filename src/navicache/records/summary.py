"""The text summary of a run."""

import math
import textwrap
from collections.abc import Iterable, Sequence

from navicache.records.reuse_checks import describe_true_errors, ratio_is_error_growth
from navicache.records.run import RunRecord
from navicache.records.step import StepRecord, label_output
from navicache.records.text_table import TextColumn, format_number_cells, format_table_lines
from navicache.records.trace import Trace

COMPUTED_MARK, REUSED_MARK = "■", "·"
MAX_BARS = 8
MIN_WIDTH = 20


def summarise(runs: Trace | Iterable[RunRecord], width: int = 100, details: bool = True) -> str:
    """The newest run as text: headline, one bar per sample, notes and, with `details`, a table of its steps.

    Bars and notes are broken at `width`; the table leaves out what is unknown at every step.

    Example:
        >>> steps = (StepRecord(index=i, stream="0", computed=i != 2, reason="gate") for i in range(4))
        >>> print(summarise([RunRecord(model="Toy", policy="navicache", steps=tuple(steps))], details=False))
        navicache on Toy: computed 3 of 4 steps (1.33x fewer calls)
        ■■·■
    """
    if width < MIN_WIDTH:
        raise ValueError(f"a width of {width} is too narrow for a summary: give at least {MIN_WIDTH}")
    runs = runs.runs if isinstance(runs, Trace) else tuple(runs)
    if not runs:
        return "nothing has run yet"
    run = runs[-1]
    lines = [format_headline(run), *_draw_sample_bars(run, width)]
    lines += textwrap.wrap(describe_true_errors(run), width, subsequent_indent="  ")
    for note in run.notes:
        lines += textwrap.wrap(f"note: {note}", width, subsequent_indent="      ")
    if details:
        for part in _describe_origin(run, len(runs)):
            lines += textwrap.wrap(part, width, subsequent_indent="  ")
    if details and run.steps:
        lines += ["", *_format_step_table(run)]
    return "\n".join(lines)


def format_headline(run: RunRecord) -> str:
    """One line with the policy, the model and the number of computed steps.

    Example:
        >>> format_headline(RunRecord(model="Toy", policy="navicache"))
        'navicache on Toy: no step has run yet'
    """
    return f"{run.policy} on {run.model}: {describe_savings(run)}"


def describe_savings(run: RunRecord) -> str:
    """Describe how many steps were computed, per sample on average, and what that saved (or would, in shadow mode)."""
    if not run.length:
        return "no step has run yet"
    if run.shadow is not None:
        reused = _describe_step_count(run, run.length - run.computed)
        return f"shadow ({run.shadow}): every step was computed; {reused} would have been reused"
    saved = "nothing was reused" if run.computed == run.length else f"{run.speedup:.2f}x fewer calls"
    return f"computed {_describe_step_count(run, run.computed)} ({saved})"


def _describe_step_count(run: RunRecord, selected_count: int) -> str:
    mean, length = selected_count / run.samples, run.length / run.samples
    text = f"{_format_average(mean)} of {_format_average(length)} step{'' if length == 1 else 's'}"
    if run.samples > 1:
        text += f" on average over {run.samples} samples"
    if run.total is not None and length < run.total:
        text += f" {'seen here' if run.finished else 'so far'}, {run.total} in all"
    return text


def _format_average(mean: float) -> str:
    return f"{mean:.0f}" if mean.is_integer() else f"{mean:.1f}"


def _describe_origin(run: RunRecord, run_count: int) -> list[str]:
    """Describe which run this is, and its knobs."""
    parts = [f"newest of {run_count} runs, begun by: {run.started}"] if run_count > 1 else []
    if run.settings:
        parts.append("knobs: " + ", ".join(f"{name}={value}" for name, value in run.settings.items()))
    return parts


def _draw_sample_bars(run: RunRecord, width: int) -> list[str]:
    """One bar per sample; the samples beyond the first few are only counted."""
    lines: list[str] = []
    for sample in run.sample_numbers[:MAX_BARS]:
        steps = run.steps_of(sample)
        bar = "".join(COMPUTED_MARK if step.computed else REUSED_MARK for step in steps)
        label = f"sample {sample} ({sum(step.computed for step in steps)})  " if run.samples > 1 else ""
        room = width - len(label)
        parts = [bar[begin : begin + room] for begin in range(0, len(bar), room)]
        lines += [(" " * len(label) if number else label) + part for number, part in enumerate(parts)]
    if rest := run.sample_numbers[MAX_BARS:]:
        counts = ", ".join(str(len(run.computed_steps(sample))) for sample in rest)
        lines += textwrap.wrap(f"and {len(rest)} more samples, computed: {counts}", width)
    return lines


def _format_step_table(run: RunRecord) -> list[str]:
    """The leading stream of the first sample."""
    steps = run.steps_of(run.sample_numbers[0])
    grows = ratio_is_error_growth(run)
    columns = [
        TextColumn("step", [str(step.index) for step in steps]),
        *_make_columns_if_known("time", [step.time for step in steps]),
        TextColumn("decision", ["compute" if step.computed else "reuse" for step in steps], is_left_aligned=True),
        TextColumn("reason", [step.reason for step in steps], is_left_aligned=True),
        *_make_columns_if_known("input\nchange", [step.input_change for step in steps]),
        *_make_columns_if_known(
            "predicted\nerror" if grows else "predicted\nchange", [step.predicted_change for step in steps]
        ),
        *_make_accumulated_columns(steps),
        *_make_columns_if_known("growth" if grows else "ratio", [step.ratio for step in steps]),
        *_make_columns_if_known("std", [_compute_ratio_std(step) for step in steps]),
        *_make_columns_if_known("measured\nratio", [None if grows else step.measured_ratio for step in steps]),
        *_make_columns_if_known("reuse\nerror", [step.reuse_error for step in steps]),
        *_make_other_error_columns(steps),
    ]
    return format_table_lines(columns)


def _make_columns_if_known(heading: str, values: Sequence[float | None]) -> list[TextColumn]:
    if all(value is None for value in values):
        return []
    return [TextColumn(heading, format_number_cells(values))]


def _make_other_error_columns(steps: Sequence[StepRecord]) -> list[TextColumn]:
    names = dict.fromkeys(name for step in steps for name in step.other_errors or ())
    errors = {name: [(step.other_errors or {}).get(name) for step in steps] for name in names}
    return [TextColumn(f"{label_output(name)}\nerror", format_number_cells(errors[name])) for name in names]


def _make_accumulated_columns(steps: Sequence[StepRecord]) -> list[TextColumn]:
    """The sum and, beside it, the threshold it is held against."""
    columns = _make_columns_if_known("accumulated", [step.accumulated for step in steps])
    if not columns or all(step.threshold is None for step in steps):
        return columns
    limits = ["-" if step.threshold is None else f"{step.threshold:.3g}" for step in steps]
    long = max(map(len, limits))
    cells = [f"{cell} / {limit:<{long}}" for cell, limit in zip(columns[0].cells, limits, strict=True)]
    return [TextColumn("accumulated\n/ threshold", cells)]


def _compute_ratio_std(step: StepRecord) -> float | None:
    if step.variance is None:
        return None
    return math.sqrt(step.variance) if step.variance >= 0 else math.nan
