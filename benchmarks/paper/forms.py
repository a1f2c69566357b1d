"""Forms of a policy at equal computed steps, each against the official one, prompt by prompt.

    python -m benchmarks.paper.forms RESULTS... --csv docs/results/paper/forms.csv

RESULTS are folders of plans/pocket/abstract.toml. A prompt's PSNR at a budget is read between the two settings of a
form whose mean computed steps are nearest, as `navicache report --summary` reads means. The difference to the official
form has a 95 % bootstrap interval over the prompts.
"""

import argparse
import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from pathlib import Path
from statistics import fmean, median
from typing import Any

from navicache.cli.report.results import read_results
from navicache.evaluation.bench.equal_steps import BUDGETS, CellAtBudget, compare_at_budgets, read_cells
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.intervals import estimate_mean
from navicache.records import open_atomic_file

OFFICIAL = "NaviCache"
Place = tuple[str, str]  # model and condition
Prompt = tuple[str, int]  # with its seed


@dataclass(frozen=True)
class FormAtBudget:
    """A form in one cell at one budget, and its differences to the official form."""

    model: str
    condition: str
    budget: str
    form: str
    prompts: int
    psnr: float  # dB, mean over the prompts
    median: float
    worst: float
    difference: float | None  # to the official form, mean over the prompts; None where that does not reach the budget
    difference_low: float | None
    difference_high: float | None
    difference_median: float | None
    difference_worst: float | None
    gap: float  # computed steps between the two settings that it is read between


def compare_forms(
    rows: Sequence[Row], official: str = OFFICIAL, budgets: Sequence[Fraction] = BUDGETS
) -> list[FormAtBudget]:
    """Every form in every cell at every budget that it reaches."""
    return [found for own in split_by_place(rows).values() for found in _compare_in_cell(own, official, budgets)]


def split_by_place(rows: Sequence[Row]) -> dict[Place, list[Row]]:
    """The rows of each model and condition."""
    by_place: dict[Place, list[Row]] = {}
    for row in rows:
        by_place.setdefault((row["model"], row["condition"]), []).append(row)
    return by_place


def _compare_in_cell(rows: Sequence[Row], official: str, budgets: Sequence[Fraction]) -> Iterator[FormAtBudget]:
    for standings in zip(*read_prompts(rows, budgets).values(), strict=True):
        first = standings[0]
        for form, point in first.points_by_series.items():
            values = [standing.points_by_series[form].psnr for standing in standings]
            base = [each.points_by_series[official].psnr for each in standings if official in each.points_by_series]
            yield FormAtBudget(
                first.cell.model,
                first.cell.condition,
                str(first.budget),
                form,
                len(values),
                fmean(values),
                median(values),
                min(values),
                **_summarise_differences(values, base),
                gap=point.gap,
            )


def _summarise_differences(values: Sequence[float], base: Sequence[float]) -> dict[str, Any]:
    names = ("difference", "difference_low", "difference_high", "difference_median", "difference_worst")
    if not base:
        return dict.fromkeys(names)
    differences = [value - other for value, other in zip(values, base, strict=True)]
    mean, low, high, _ = estimate_mean(differences)
    return dict(zip(names, (mean, low, high, median(differences), min(differences)), strict=True))


def share_computed_steps(rows: Sequence[Row]) -> list[Row]:
    """Rows with the mean computed steps of their setting: all prompts are then read between the same settings.

    Of settings with the same mean the best counts, as on a curve of means. Unfinished settings are left out.
    """
    settings: dict[str, list[Row]] = {}
    for row in {(row["setting"], row["prompt"], row["seed"]): row for row in rows}.values():  # baselines of parts
        settings.setdefault(row["setting"], []).append(row)
    longest = max(map(len, settings.values()))
    best: dict[tuple[str, float], tuple[float, list[Row]]] = {}
    for name, own in settings.items():
        if len(own) < longest:
            continue
        computed = fmean(row["steps"]["computed"] - row["steps"]["partial"] for row in own)
        quality = fmean(row["quality"]["psnr"] if row["quality"] else 0.0 for row in own)
        steps = {"total": own[0]["steps"]["total"], "computed": computed, "partial": 0}
        key = own[0]["series"] or name, round(computed, 9)
        if key not in best or quality > best[key][0]:
            best[key] = quality, [{**row, "steps": steps} for row in own]
    return [row for _, own in best.values() for row in own]


def read_prompts(rows: Sequence[Row], budgets: Sequence[Fraction] = BUDGETS) -> dict[Prompt, list[CellAtBudget]]:
    """Each prompt of one cell at the budgets, all prompts between the same two settings."""
    prompts: dict[Prompt, list[Row]] = {}
    for row in share_computed_steps(rows):
        prompts.setdefault((row["prompt"], row["seed"]), []).append(row)
    return {prompt: compare_at_budgets(read_cells(own), budgets) for prompt, own in prompts.items()}


def format_markdown(found: Sequence[FormAtBudget]) -> str:
    """A table for each model and condition: a row a form, a column a budget, with the difference and its interval."""
    parts: list[str] = []
    for place in dict.fromkeys((each.model, each.condition) for each in found):
        own = [each for each in found if (each.model, each.condition) == place]
        budgets = list(dict.fromkeys(each.budget for each in own))
        cells = {(each.form, each.budget): _format_cell(each) for each in own}
        lines = ["| form | " + " | ".join(budgets) + " |", "|---|" + "---|" * len(budgets)]
        for form in dict.fromkeys(each.form for each in own):
            lines += [f"| {form} | " + " | ".join(cells.get((form, budget), "") for budget in budgets) + " |"]
        parts.append(f"**{place[0]}, {place[1]}**, {own[0].prompts} prompts\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _format_cell(each: FormAtBudget) -> str:
    if each.difference is None:
        return f"{each.psnr:.1f}"
    if each.difference_low is None:
        return f"{each.psnr:.1f} ({each.difference:+.2f})"
    return f"{each.psnr:.1f} ({each.difference:+.2f}, {each.difference_low:+.2f} to {each.difference_high:+.2f})"


def save_csv(found: Sequence[Any], path: Path) -> None:
    """Write records of one dataclass, a row each; None is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(found[0])])
    for each in found:
        writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in asdict(each).values()])
    with open_atomic_file(path) as file:
        file.write(text.getvalue().encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables and write the CSV; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--official", default=OFFICIAL, help="series that the others are held against (%(default)s)")
    parser.add_argument("--csv", type=Path, help="write every figure here")
    options = parser.parse_args(arguments)
    try:
        found = compare_forms(read_results(options.results).rows, options.official)
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(format_markdown(found))
    print(
        "\ndB (difference to the official form, 95 % interval over the prompts); budgets are shares of computed steps"
    )
    if options.csv is not None and found:
        save_csv(found, options.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
