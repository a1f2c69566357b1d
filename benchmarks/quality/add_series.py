"""Add policies that were measured later to a committed table of equal computed steps, without the runs behind it.

    python -m benchmarks.quality.add_series docs/results/family/table.csv RESULTS/* --out build/table.csv

Each new series is read at the computed steps of the table's cell. The plan, its prompts and its kind of card must be
those of the table. Run a series that the table has already along with the new ones: how far it is from its committed
figures is printed, and says whether the two runs may stand in one table. Where a new series is the best of its cell,
the regrets of all others grow. The worst and mean regrets of every series that changed are printed for the page.
"""

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TextIO

from navicache.cli.report.results import read_results
from navicache.evaluation.bench.equal_steps import MeasuredCell, QualityCurve

CsvRow = dict[str, str]
Cell = tuple[str, str, str]  # model, setting, share of the steps
COPIED = ("model", "condition", "setting", "steps", "budget", "share", "computed")  # of the cell


def find_cell(row: CsvRow) -> Cell:
    """The place of a row; one table says setting and share where the other says condition and budget."""
    return row["model"], row.get("setting") or row["condition"], row.get("share") or row["budget"]


def group_by_cell(rows: Sequence[CsvRow]) -> dict[Cell, list[CsvRow]]:
    """Rows of each cell, in their order."""
    cells: dict[Cell, list[CsvRow]] = defaultdict(list)
    for row in rows:
        cells[find_cell(row)].append(row)
    return cells


def read_series(table: Sequence[CsvRow], cells: Iterable[MeasuredCell]) -> list[CsvRow]:
    """All curves at the computed steps of the table's cells; what a series does not reach is missing."""
    measured = {(cell.model, cell.condition): cell for cell in cells}
    return [
        row
        for place, rows in group_by_cell(table).items()
        if (cell := measured.get(place[:2]))
        for curve in cell.curves
        if (row := _read_row(place, float(rows[0]["computed"]), cell, curve))
    ]


def _read_row(place: Cell, computed: float, cell: MeasuredCell, curve: QualityCurve) -> CsvRow | None:
    point = curve.point_at(computed)
    if point is None:
        return None
    named = {"series": curve.name, "policy": curve.policy, "role": curve.role, "prompts": str(cell.prompts)}
    figures = {name: f"{getattr(point, name):.6g}" for name in ("psnr", "median", "worst", "spread", "gap")}
    return {**dict(zip(("model", "condition", "budget"), place, strict=True)), **named, **figures}


def add_series(table: Sequence[CsvRow], new: Sequence[CsvRow]) -> list[CsvRow]:
    """The table with the series it did not have, and regrets against the best of both."""
    fresh, known = group_by_cell(new), {row["series"].lower() for row in table}
    whole: list[CsvRow] = []
    for cell, rows in group_by_cell(table).items():
        added = [row for row in fresh.get(cell, []) if row["series"].lower() not in known]
        if wrong := {row["prompts"] for row in added} - {row["prompts"] for row in rows}:
            raise ValueError(f"{' '.join(cell)}: {', '.join(wrong)} prompts, but the table has {rows[0]['prompts']}")
        best = max(float(row["psnr"]) for row in rows)
        now = max([best, *(float(row["psnr"]) for row in added)])
        whole += [{**row, "regret": f"{float(row['regret']) + now - best:g}"} for row in rows]
        whole += [_fit_row(row, rows[0], now) for row in added]
    return whole


def _fit_row(row: CsvRow, beside: CsvRow, best: float) -> CsvRow:
    """A new row with the columns, names and digits of the table."""
    fitted = {name: beside[name] if name in COPIED else row.get(name, "") for name in beside}
    fitted["regret"] = f"{best - float(row['psnr']):g}"
    if "setting" not in beside:
        return fitted
    digits = {name: f"{float(fitted[name]):.1f}" for name in ("psnr", "median", "worst", "regret")}
    return {**fitted, **digits, "series": row["series"].lower()}


def compare_known(table: Sequence[CsvRow], new: Sequence[CsvRow]) -> dict[str, list[float]]:
    """By how much each series that both have differs, in dB, one figure for each cell."""
    committed = {(*find_cell(row), row["series"].lower()): float(row["psnr"]) for row in table}
    found: dict[str, list[float]] = defaultdict(list)
    for row in new:
        place = (*find_cell(row), row["series"].lower())
        if place in committed:
            found[row["series"]].append(float(row["psnr"]) - committed[place])
    return found


def format_regrets(before: Sequence[CsvRow], after: Sequence[CsvRow]) -> str:
    """Worst and mean regret of every series that is new or has changed, by share of the steps."""
    old, found = _collect_regrets(before), _collect_regrets(after)
    shares = list(dict.fromkeys(share for _, share in found))
    changed = dict.fromkeys(series for (series, share), values in found.items() if old.get((series, share)) != values)
    lines = [f"| worst, mean (settings) | {' | '.join(shares)} |", "|---|" + "---|" * len(shares)]
    for series in changed:
        cells = (found.get((series, share)) for share in shares)
        shown = (f"{max(own):.1f}, {fmean(own):.1f} ({len(own)})" if own else "-" for own in cells)
        lines.append(f"| {series} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _collect_regrets(rows: Sequence[CsvRow]) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        found[row["series"], find_cell(row)[2]].append(float(row["regret"]))
    return found


def read_rows(path: Path) -> list[CsvRow]:
    """All rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(file: TextIO, rows: Sequence[CsvRow]) -> None:
    """Write rows with the columns of the first."""
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="table.csv of docs/results")
    parser.add_argument("results", type=Path, nargs="+", help="folders of `navicache bench` or `shared_calls`")
    parser.add_argument("--out", type=Path, default=Path("build/table.csv"), help="file (%(default)s)")
    options = parser.parse_args(arguments)
    table = read_rows(options.table)
    new = read_series(table, read_results(options.results).cells)
    whole = add_series(table, new)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, whole)
    for series, differences in compare_known(table, new).items():
        largest = max(map(abs, differences))
        print(f"{series}: {fmean(differences):+.2f} dB from the table, {largest:.2f} at most, {len(differences)} cells")
    print(f"{len(whole) - len(table)} rows more in {options.out}\n\n{format_regrets(table, whole)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
