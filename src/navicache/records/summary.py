"""What a user prints after a run."""

import math
import textwrap
from collections.abc import Iterable, Sequence

from navicache.records.run import RunRecord
from navicache.records.step import StepRecord
from navicache.records.table import Column, lay_out, number_cells
from navicache.records.trace import Trace
from navicache.records.truth import describe_truth, shows_growth

COMPUTED, REUSED = "■", "·"
MOST_BARS = 8
LEAST_WIDTH = 20


def summarise(runs: Trace | Iterable[RunRecord], width: int = 100, details: bool = True) -> str:
    """The newest run as text: headline, one bar per sample, notes and, with `details`, a table of its steps.

    Bars and notes are broken at `width`; the table leaves out what is unknown at every step.

    Example:
        >>> steps = (StepRecord(index=i, stream="0", computed=i != 2, reason="gate") for i in range(4))
        >>> print(summarise([RunRecord(model="Toy", policy="navicache", steps=tuple(steps))], details=False))
        navicache on Toy: computed 3 of 4 steps (1.33x fewer calls)
        ■■·■
    """
    if width < LEAST_WIDTH:
        raise ValueError(f"a width of {width} is too narrow for a summary: give at least {LEAST_WIDTH}")
    runs = runs.runs if isinstance(runs, Trace) else tuple(runs)
    if not runs:
        return "nothing has run yet"
    run = runs[-1]
    lines = [headline(run), *_bars(run, width), *textwrap.wrap(describe_truth(run), width, subsequent_indent="  ")]
    for note in run.notes:
        lines += textwrap.wrap(f"note: {note}", width, subsequent_indent="      ")
    if details:
        for part in _origin(run, len(runs)):
            lines += textwrap.wrap(part, width, subsequent_indent="  ")
    if details and run.steps:
        lines += ["", *_table(run)]
    return "\n".join(lines)


def headline(run: RunRecord) -> str:
    """One line: who cached what, and how many steps were computed.

    Example:
        >>> headline(RunRecord(model="Toy", policy="navicache"))
        'navicache on Toy: no step has run yet'
    """
    return f"{run.policy} on {run.model}: {tally(run)}"


def tally(run: RunRecord) -> str:
    """How many steps were computed, of a sample on average, and what that saved; in shadow mode, would have been."""
    if not run.length:
        return "no step has run yet"
    if run.shadow is not None:
        reused = _counts(run, run.length - run.computed)
        return f"shadow ({run.shadow}): every step was computed; {reused} would have been reused"
    saved = "nothing was reused" if run.computed == run.length else f"{run.speedup:.2f}x fewer calls"
    return f"computed {_counts(run, run.computed)} ({saved})"


def _counts(run: RunRecord, counted: int) -> str:
    mean, length = counted / run.samples, run.length / run.samples
    text = f"{_short(mean)} of {_short(length)} step{'' if length == 1 else 's'}"
    if run.samples > 1:
        text += f" on average over {run.samples} samples"
    if run.total is not None and length < run.total:
        text += f" {'seen here' if run.finished else 'so far'}, {run.total} in all"
    return text


def _short(mean: float) -> str:
    return f"{mean:.0f}" if mean.is_integer() else f"{mean:.1f}"


def _origin(run: RunRecord, count: int) -> list[str]:
    """Which run this is and its knobs, where there is something to say."""
    parts = [f"newest of {count} runs, begun by: {run.started}"] if count > 1 else []
    if run.settings:
        parts.append("knobs: " + ", ".join(f"{name}={value}" for name, value in run.settings.items()))
    return parts


def _bars(run: RunRecord, width: int) -> list[str]:
    """One bar per sample; the samples beyond the first few are only counted."""
    lines: list[str] = []
    for sample in run.sample_numbers[:MOST_BARS]:
        steps = run.steps_of(sample)
        bar = "".join(COMPUTED if step.computed else REUSED for step in steps)
        label = f"sample {sample} ({sum(step.computed for step in steps)})  " if run.samples > 1 else ""
        room = width - len(label)
        lines += [
            (label if begin == 0 else " " * len(label)) + bar[begin : begin + room]
            for begin in range(0, len(bar), room)
        ]
    if rest := run.sample_numbers[MOST_BARS:]:
        counts = ", ".join(str(len(run.computed_steps(sample))) for sample in rest)
        lines += textwrap.wrap(f"and {len(rest)} more samples, computed: {counts}", width)
    return lines


def _table(run: RunRecord) -> list[str]:
    """The leading stream of the first sample."""
    steps = run.steps_of(run.sample_numbers[0])
    grows = shows_growth(run)
    columns = [
        Column("step", [str(step.index) for step in steps]),
        *_known("time", [step.time for step in steps]),
        Column("decision", ["compute" if step.computed else "reuse" for step in steps], words=True),
        Column("reason", [step.reason for step in steps], words=True),
        *_known("input\nchange", [step.input_change for step in steps]),
        *_known("predicted\nerror" if grows else "predicted\nchange", [step.predicted_change for step in steps]),
        *_accumulated(steps),
        *_known("growth" if grows else "ratio", [step.ratio for step in steps]),
        *_known("std", [_deviation(step) for step in steps]),
        *_known("measured\nratio", [None if grows else step.measured_ratio for step in steps]),
        *_known("reuse\nerror", [step.reuse_error for step in steps]),
    ]
    return lay_out(columns)


def _known(heading: str, values: Sequence[float | None]) -> list[Column]:
    if all(value is None for value in values):
        return []
    return [Column(heading, number_cells(values))]


def _accumulated(steps: Sequence[StepRecord]) -> list[Column]:
    """The sum and, beside it, the threshold it is held against."""
    columns = _known("accumulated", [step.accumulated for step in steps])
    if not columns or all(step.threshold is None for step in steps):
        return columns
    limits = ["-" if step.threshold is None else f"{step.threshold:.3g}" for step in steps]
    long = max(map(len, limits))
    cells = [f"{cell} / {limit:<{long}}" for cell, limit in zip(columns[0].cells, limits, strict=True)]
    return [Column("accumulated\n/ threshold", cells)]


def _deviation(step: StepRecord) -> float | None:
    if step.variance is None:
        return None
    return math.sqrt(step.variance) if step.variance >= 0 else math.nan
