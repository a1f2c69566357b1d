"""The table of runs of 8 to 12 steps, from the results of the plan that benchmarks/quality/few_steps.py writes.

    python -m benchmarks.quality.few_steps_table RESULTS...

For each model, number of steps and of computed ones: the mean PSNR of a run with so many steps, of the default, the
default's lead with its interval, the mean of all lists that reuse as many steps in the middle, and the best of them.
"""

import argparse
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from navicache.cli.report.results import read_results
from navicache.evaluation.bench.plan import NO_CACHE
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.intervals import estimate_mean

HEADINGS = ("model", "computed", "fewer steps", "inertial", "lead (95 %)", "all lists", "best list", "reused")
SERIES = "inertial"

Scores = Mapping[str, Mapping[int, float]]  # of each setting, prompt by prompt


class Cell(NamedTuple):
    """What runs that are compared have in common."""

    model: str
    total: int
    computed: int


def collect_scores(rows: Iterable[Row]) -> dict[Cell, dict[str, dict[int, float]]]:
    """The PSNR of every cached run, and of every run with fewer steps."""
    scores: dict[Cell, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["kind"] == "baseline" or not row["quality"]:
            continue
        total = int(row["condition"].split()[0])
        cell = Cell(row["model"], total, row["steps"]["computed"])
        name = row["policy"] if row["policy"] in (NO_CACHE, SERIES) else row["setting"]
        scores[cell][name][row["prompt_index"]] = row["quality"]["psnr"]
    return scores


def format_markdown(scores: Mapping[Cell, Scores]) -> str:
    """One line for each cell that has a default."""
    lines = [" | ".join(HEADINGS), "|".join(["---"] * len(HEADINGS))]
    lines += [" | ".join(format_cell(cell, scores[cell])) for cell in sorted(scores) if SERIES in scores[cell]]
    return "".join(f"| {line} |\n" for line in lines)


def format_cell(cell: Cell, found: Scores) -> list[str]:
    """The figures of one cell; what was not measured is a dash."""
    own, fewer = found[SERIES], found.get(NO_CACHE, {})
    lists = {name: fmean(values.values()) for name, values in found.items() if name not in (SERIES, NO_CACHE)}
    best = max(lists, key=lambda name: lists[name], default="")
    return [
        f"`{cell.model}`",
        f"{cell.computed} of {cell.total}",
        _format_mean(fewer.values()),
        _format_mean(own.values()),
        _format_lead([own[prompt] - fewer[prompt] for prompt in own if prompt in fewer]),
        _format_mean(lists.values()),
        f"{lists[best]:.1f}" if best else "-",
        best.split()[1].replace("-", ", ") if best else "-",  # of "list 3-6 6"
    ]


def _format_mean(values: Collection[float]) -> str:
    return f"{fmean(values):.1f}" if values else "-"


def _format_lead(differences: Sequence[float]) -> str:
    if not differences:
        return "-"
    mean, low, high, _ = estimate_mean(differences)
    return f"{mean:+.1f}" + ("" if low is None or high is None else f" ({low:+.1f} to {high:+.1f})")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+")
    results = read_results(parser.parse_args(arguments).results)
    print(format_markdown(collect_scores(results.rows)), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
