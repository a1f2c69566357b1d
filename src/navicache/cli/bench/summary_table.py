"""The closing table of a benchmark, as text."""

from collections.abc import Sequence
from typing import Any

from navicache.records.text_table import UNKNOWN_CELL, TextColumn, format_table_lines

COLUMNS = {
    "computed": ("computed\nsteps", ".1f"),
    "seconds": ("seconds", ".2f"),
    "speedup": ("speed-up", ".2f"),
    "cpu_speedup": ("in CPU\ntime", ".2f"),
    "psnr": ("PSNR", ".2f"),
    "ssim": ("SSIM", ".4f"),
    "lpips": ("LPIPS", ".4f"),
    "audio_snr": ("audio\nSNR", ".2f"),
}


def summary_table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A row for each setting; quality has half the width of its 95 % interval."""
    from navicache.evaluation.bench.summaries import list_refusals, summarise_rows

    summaries = summarise_rows(rows)
    if not summaries:
        return ["nothing measured yet"]
    columns = [
        TextColumn("model", [summary.place[0] for summary in summaries], is_left_aligned=True),
        TextColumn("condition", [summary.place[1] for summary in summaries], is_left_aligned=True),
        TextColumn("setting", [summary.place[2] for summary in summaries], is_left_aligned=True),
        TextColumn("runs", [str(len(summary.rows)) for summary in summaries]),
    ]
    if len(set(columns[1].cells)) == 1:
        del columns[1]
    known = {name for summary in summaries for name in summary.figures}
    for name, (heading, form) in ((name, column) for name, column in COLUMNS.items() if name in known):
        columns.append(TextColumn(heading, [format_estimate(summary.figures.get(name), form) for summary in summaries]))
    return [*format_table_lines(columns), *(f"not possible: {reason}" for reason in list_refusals(rows))]


def format_estimate(estimate: Any, form: str) -> str:
    """The mean and, for several runs, half the width of its interval."""
    if estimate is None:
        return UNKNOWN_CELL
    if estimate.low is None:
        return format(estimate.mean, form)
    return f"{estimate.mean:{form}} ±{(estimate.high - estimate.low) / 2:{form}}"
