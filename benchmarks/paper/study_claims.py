"""What the studies say about alignment, noise, modes and predictions, prompt by prompt, with intervals.

    python -m benchmarks.paper.study_claims RESULTS... --csv docs/results/paper/study_claims.csv

RESULTS are folders of plans/pocket/table1.toml, ablation_align.toml, ablation_noise.toml and figure1.toml. A changed
knob costs or saves steps, so it is held against the published knobs at equal computed steps: all thresholds that were
run with the published knobs are a curve, and each prompt is read on it. Modes and predictions are differences of two
settings of one prompt.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.paper.accuracy import prediction_points
from benchmarks.paper.forms import Place, compare_forms, save_csv, split_by_place
from benchmarks.paper.shadows import shadow_runs
from navicache.cli.report.results import BenchResults, read_results
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.intervals import estimate_mean

PUBLISHED = "published"
NOISE_BUDGET = Fraction(3, 5)  # both thresholds of plans/pocket/ablation_noise.toml lie around it
NOISES = ("process_noise", "measurement_noise")
MODES = ("slow", "mid"), ("mid", "fast"), ("slow", "fast")
PREDICTED = ("EasyCache", "TeaCache", "MagCache")
OFFICIAL = "NaviCache"


@dataclass(frozen=True)
class StudyDifference:
    """One thing minus another, mean over the prompts."""

    study: str
    model: str
    condition: str
    what: str
    against: str
    computed: float | None  # steps at which both are read; None: each at its own
    prompts: int
    difference: float  # dB; of "figure 1" the mean absolute error of the predicted change
    low: float | None
    high: float | None


def compare_knobs(rows: Sequence[Row]) -> Iterator[StudyDifference]:
    """Changed alignment and noises against the published ones, at equal computed steps."""
    for place, own in split_by_place(rows).items():
        navicache = [row for row in own if row["kind"] == "baseline" or row["policy"] == "navicache"]
        published = read_published_knobs(navicache)
        relabelled = [{**row, "series": _name_change(row, published)} for row in navicache]
        for name in dict.fromkeys(row["series"] for row in relabelled if row["series"] not in ("", PUBLISHED)):
            yield from _compare_change(place, relabelled, name)


def read_published_knobs(rows: Sequence[Row]) -> Mapping[str, Any]:
    """Those of the settings with a mode."""
    return next((row["knobs"] for row in rows if row.get("mode")), {})


def _name_change(row: Row, published: Mapping[str, Any]) -> str:
    if row["kind"] == "baseline":
        return ""
    knobs = {"align_steps": "N_align", "process_noise": "Q", "measurement_noise": "R"}
    changed = [name for name in knobs if row["knobs"][name] != published.get(name)]
    return ", ".join(f"{knobs[name]} = {row['knobs'][name]}" for name in changed) or PUBLISHED


def _compare_change(place: Place, rows: Sequence[Row], name: str) -> Iterator[StudyDifference]:
    own = [row for row in rows if row["series"] == name]
    is_noise = "N_align" not in name
    total = own[0]["steps"]["total"]
    computed = fmean(row["steps"]["computed"] for row in own)
    budget = NOISE_BUDGET if is_noise else Fraction(computed / total).limit_denominator(100_000)
    kept = [row for row in rows if row["series"] in ("", name, PUBLISHED)]
    for found in compare_forms(kept, PUBLISHED, (budget,)):
        if found.form == name and found.difference is not None:
            ends = found.difference, found.difference_low, found.difference_high
            study = "noise" if is_noise else "alignment"
            yield StudyDifference(study, *place, name, PUBLISHED, float(budget) * total, found.prompts, *ends)


def compare_modes(rows: Sequence[Row]) -> Iterator[StudyDifference]:
    """The published modes against each other, and those at the paper's speed-ups: each at its own steps."""
    for place, own in split_by_place(rows).items():
        psnr: dict[str, dict[str, float]] = {}
        for row in own:
            if row["kind"] == "cached" and row["policy"] == "navicache" and row["mode"]:
                tuned = " at the paper's speed-up" if " at " in row["setting"] else ""
                psnr.setdefault(row["mode"] + tuned, {})[row["prompt"]] = row["quality"]["psnr"]
        for tuned in ("", " at the paper's speed-up"):
            for first, second in ((first + tuned, second + tuned) for first, second in MODES):
                if first in psnr and second in psnr:
                    yield _pair("modes", place, first, second, psnr)


def compare_predictions(results: BenchResults) -> Iterator[StudyDifference]:
    """Mean absolute error of the predicted change in Figure 1, NaviCache minus each other policy."""
    errors: dict[str, dict[str, dict[str, float]]] = {}
    for (model, setting), shadows in shadow_runs(results).items():
        for row, run, truth in shadows:
            if points := prediction_points(run, truth):
                error = float(np.mean([abs(point.predicted - point.true) for point in points]))
                errors.setdefault(model, {}).setdefault(setting, {})[row["prompt"]] = error
    for model, by_setting in errors.items():
        for other in PREDICTED:
            if OFFICIAL in by_setting and other in by_setting:
                yield _pair("figure 1", (model, "default"), OFFICIAL, other, by_setting)


def _pair(study: str, place: Place, what: str, against: str, values: Any) -> StudyDifference:
    prompts = [prompt for prompt in values[what] if prompt in values[against]]
    mean, low, high, _ = estimate_mean([values[what][prompt] - values[against][prompt] for prompt in prompts])
    return StudyDifference(study, *place, what, against, None, len(prompts), mean, low, high)


def compare_studies(parts: Sequence[BenchResults]) -> list[StudyDifference]:
    """All differences, each from the plans that it needs."""
    named = {part.name: part for part in parts}
    knobs = [row for name, part in named.items() if "figure" not in name for row in part.rows]
    modes = [row for name, part in named.items() if "table" in name for row in part.rows]
    figures = [part for name, part in named.items() if "figure" in name]
    predictions = [found for part in figures for found in compare_predictions(part)]
    return [*compare_knobs(knobs), *compare_modes(modes), *predictions]


def format_markdown(found: Sequence[StudyDifference]) -> str:
    """One row for each difference."""
    lines = ["| study | model | what | against | at steps | difference (95 %) |", "|---|---|---|---|---|---|"]
    for each in found:
        steps = "own" if each.computed is None else f"{each.computed:.1f}"
        interval = "" if each.low is None else f" ({each.low:+.4f} to {each.high:+.4f})"
        shown = each.study, each.model, each.what, each.against, steps, f"{each.difference:+.4f}{interval}"
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and write the CSV; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--csv", type=Path, help="write every figure here")
    options = parser.parse_args(arguments)
    try:
        found = compare_studies([read_results([folder]) for folder in options.results])
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(format_markdown(found))
    if options.csv is not None and found:
        save_csv(found, options.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
