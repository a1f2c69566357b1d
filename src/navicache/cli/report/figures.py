"""Every figure of every setting as a file for other programs."""

import csv
import io
from collections.abc import Sequence

from navicache.cli.report.results import Results
from navicache.evaluation.bench.study import Summary

FIGURES = (
    *("computed", "allowed", "loop_seconds", "loop_speedup", "seconds", "speedup", "cpu_speedup", "overhead"),
    *("psnr", "psnr_pooled", "ssim", "lpips", "peak_memory"),
)
PARTS = ("mean", "low", "high")


def as_csv(parts: Sequence[Results]) -> str:
    """A line for each setting of each plan: means, and 95 % intervals where there are several runs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name if part == "mean" else f"{name}_{part}" for name in FIGURES for part in PARTS]
    writer.writerow(["plan", "model", "condition", "setting", "policy", "runs", "steps", "machine", *names])
    for part in parts:
        writer.writerows(_line(part.name, summary) for summary in part.summaries)
    return text.getvalue()


def _line(plan: str, summary: Summary) -> list[str]:
    row = summary.first
    about = (plan, *summary.place, row["policy"], len(summary.rows), row["steps"]["total"], row["machine"]["name"])
    found = [summary.figures.get(name) for name in FIGURES]
    values = [None if each is None else getattr(each, part) for each in found for part in PARTS]
    return [*map(str, about), *("" if value is None else f"{value:.6g}" for value in values)]
