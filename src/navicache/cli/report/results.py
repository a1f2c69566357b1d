"""The results of one or several benchmarks, read back."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from navicache.cli.report.row_files import check_row
from navicache.evaluation.bench.equal_steps import CellAtBudget, MeasuredCell, compare_at_budgets, read_cells
from navicache.evaluation.bench.leads import LeadSummary, summarise_leads
from navicache.evaluation.bench.names import digest, slug
from navicache.evaluation.bench.plan import DEFAULT_OURS
from navicache.evaluation.bench.regret import SeriesRegret, summarise_regrets
from navicache.evaluation.bench.rows import REFUSED, Row, RowFile
from navicache.evaluation.bench.session import PLAN_COPY, ROWS
from navicache.evaluation.bench.summaries import SettingSummary, list_refusals, summarise_rows
from navicache.records import RunRecord, Trace

FOLDER = "folder"  # of the results a row is from; rows do not have it on the disk


@dataclass(frozen=True)
class BenchResults:
    """Rows of all benchmarks, and what lies beside them."""

    rows: Sequence[Row]
    vbench: Mapping[str, Mapping[str, Any]]
    plans: Sequence[str]
    refused: Sequence[str] = ()  # what could not be measured, and why

    @cached_property
    def summaries(self) -> list[SettingSummary]:
        """One a setting."""
        return summarise_rows(self.rows)

    @cached_property
    def ours(self) -> tuple[str, ...]:
        """The policy whose lead is shown, as the first plan says."""
        ours = tomllib.loads(self.plans[0]).get("ours", DEFAULT_OURS) if self.plans else DEFAULT_OURS
        return (ours,) if isinstance(ours, str) else tuple(ours)

    @cached_property
    def cells(self) -> list[MeasuredCell]:
        """Models under their conditions, with the curves of all series."""
        return read_cells(self.rows, self.ours)

    @cached_property
    def standings(self) -> list[CellAtBudget]:
        """All series at equal computed steps."""
        return compare_at_budgets(self.cells)

    @cached_property
    def leads(self) -> LeadSummary:
        """What that table comes to."""
        return summarise_leads(self.standings)

    @cached_property
    def regrets(self) -> list[SeriesRegret]:
        """How far each series is below the best of all."""
        return summarise_regrets(self.standings)

    @cached_property
    def has_times(self) -> bool:
        """Whether any setting has times: all its runs were alone in their calls."""
        return any("seconds" in summary.figures for summary in self.summaries)

    @property
    def speed_figure(self) -> str:
        """The figure that tells how fast: in CPU time, which no other process lengthens, or else of the loop."""
        cached = [summary for summary in self.summaries if summary.first["kind"] == "cached"]
        known = (name for name in ("cpu_speedup", "loop_speedup") if all(name in s.figures for s in cached))
        return next(known, "speedup") if cached else "speedup"

    @property
    def seconds_figure(self) -> tuple[str, str]:
        """The figure of seconds, and what of: the denoising loop where every run shows one, else the whole call."""
        loop = all("loop_seconds" in summary.figures for summary in self.summaries)
        return ("loop_seconds", "denoising loop") if loop else ("seconds", "whole call")

    @property
    def name(self) -> str:
        """Of the first plan."""
        return str(tomllib.loads(self.plans[0]).get("name", "benchmark")) if self.plans else "benchmark"

    def run(self, row: Row) -> RunRecord | None:
        """The trace of a job, of its first transformer; None where there was no cache."""
        if not row.get("trace"):
            return None
        return Trace.load(row[FOLDER] / row["trace"]).runs[0]

    def vbench_total(self, summary: SettingSummary) -> float | None:
        """VBench's total score of a setting, in percent."""
        found = self.vbench.get("/".join(map(slug, summary.place)), {}).get("total")
        return None if found is None else 100 * found


def read_results(folders: Sequence[Path]) -> BenchResults:
    """Everything of these folders; each has baselines of its own, since times of two days are not side by side."""
    rows: list[Row] = []
    vbench: dict[str, Any] = {}
    plans: list[str] = []
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        if not (folder / ROWS).is_file():
            raise ValueError(f"{folder} holds no {ROWS}: give a folder that `navicache bench` wrote")
        rows += [_mark_folder(check_row(row, folder), folder) for row in RowFile(folder / ROWS).rows]
        if (folder / PLAN_COPY).is_file():
            plans.append((folder / PLAN_COPY).read_text(encoding="utf-8"))
        if (folder / "vbench.json").is_file():
            vbench |= json.loads((folder / "vbench.json").read_text(encoding="utf-8"))
    if all(row["kind"] == REFUSED for row in rows):
        raise ValueError(f"{folders[0]} holds no finished job yet: run `navicache bench` first")
    measured = [row for row in rows if row["kind"] != REFUSED]
    return BenchResults(measured, vbench, plans, list_refusals(rows))


def _mark_folder(row: Row, folder: Path) -> Row:
    """The row, its names made different from those of the same job in another folder."""
    mark = digest({"folder": str(folder)}, 6)
    return {**row, FOLDER: folder, "key": f"{row['key']}-{mark}", "group": f"{row['group']}-{mark}"}
