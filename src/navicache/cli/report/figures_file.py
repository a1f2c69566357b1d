"""Every figure of every setting as a CSV file."""

import csv
import io
from collections.abc import Sequence

from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.summaries import SettingSummary

FIGURES = (
    *("computed", "allowed", "loop_seconds", "loop_speedup", "seconds", "speedup", "cpu_speedup", "overhead"),
    *("psnr", "psnr_pooled", "ssim", "lpips", "peak_memory"),
)
ABOUT = ("plan", "model", "condition", "setting", "policy", "threshold", "runs", "steps", "machine")
ESTIMATE_PARTS = ("mean", "low", "high")


def figures_csv(parts: Sequence[BenchResults]) -> str:
    """A line for each setting of each plan: means, and 95 % intervals where there are several runs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name if part == "mean" else f"{name}_{part}" for name in FIGURES for part in ESTIMATE_PARTS]
    writer.writerow([*ABOUT, *names])
    for part in parts:
        writer.writerows(_setting_values(part.name, summary) for summary in part.summaries)
    return text.getvalue()


def _setting_values(plan: str, summary: SettingSummary) -> list[str]:
    row = summary.first
    tuned = row["policy"], row["knobs"].get("threshold", "")
    about = (plan, *summary.place, *tuned, len(summary.rows), row["steps"]["total"], row["machine"]["name"])
    found = [summary.figures.get(name) for name in FIGURES]
    values = [None if each is None else getattr(each, part) for each in found for part in ESTIMATE_PARTS]
    return [*map(str, about), *("" if value is None else f"{value:.6g}" for value in values)]
