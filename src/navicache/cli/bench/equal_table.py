"""The table at equal computed steps and the leads in it, as text."""

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction

from navicache.evaluation.bench.equal import Point, Standing, cells_of, standings
from navicache.evaluation.bench.leads import Lead, Verdict, judge
from navicache.evaluation.bench.plan import OURS
from navicache.evaluation.bench.rows import Row
from navicache.records.text_table import UNKNOWN_CELL, TextColumn, format_table_lines

MOST_NAMED = 20  # cells behind that are named; the page has all
NOTE = (
    "dB on average over prompts, on the line between the two nearest settings; "
    f"{UNKNOWN_CELL}: not reached; ~: those are more than a sixth of the steps apart"
)


def describe_equal(rows: Sequence[Row], ours: Sequence[str] = OURS) -> list[str]:
    """A row for every cell and budget, then leads and verdict; nothing where no series stands beside ours."""
    table = standings(cells_of(rows, ours))
    verdict = judge(table)
    if not verdict.counted:
        return []
    unfinished = sum(len(cell.unfinished) for cell in dict.fromkeys(standing.cell for standing in table))
    late = [f"not counted: {unfinished} settings that lack prompts"] if unfinished else []
    return [*format_table_lines(_columns(table)), NOTE, "", *_lead_table(verdict.leads), "", *words(verdict), *late]


def _columns(table: Sequence[Standing]) -> list[TextColumn]:
    names = dict.fromkeys(curve.name for standing in table for curve in standing.cell.curves)
    best = [standing.best("rival") for standing in table]
    return [
        TextColumn("model", [standing.cell.model for standing in table], is_left_aligned=True),
        TextColumn("condition", [standing.cell.condition for standing in table], is_left_aligned=True),
        TextColumn("of the\nsteps", [str(standing.budget) for standing in table]),
        *(TextColumn(name.replace(" ", "\n", 1), [psnr_text(standing, name) for standing in table]) for name in names),
        TextColumn("best other\npolicy", [found[0] if found else UNKNOWN_CELL for found in best], is_left_aligned=True),
        TextColumn(f"lead of\n{table[0].cell.ours}", [signed(standing.lead("rival")) for standing in table]),
    ]


def psnr_text(standing: Standing, name: str) -> str:
    """What a series has there."""
    point = standing.found.get(name)
    return UNKNOWN_CELL if point is None else f"{'~' if standing.wide(point) else ''}{point.psnr:.1f}"


def signed(value: float | None) -> str:
    """A lead: with its sign, which is a minus where others are ahead.

    Example:
        >>> signed(1.25), signed(-0.5), signed(-0.01), signed(None)
        ('+1.2', '-0.5', '+0.0', '-')
    """
    return UNKNOWN_CELL if value is None else f"{round(value, 1) + 0.0:+.1f}"


def _lead_table(leads: Sequence[Lead]) -> list[str]:
    names, budgets = (dict.fromkeys(getattr(lead, field) for lead in leads) for field in ("name", "budget"))
    found = {(lead.name, lead.budget): lead for lead in leads}

    def column(budget: Fraction) -> TextColumn:
        own = [found.get((name, budget)) for name in names]
        return TextColumn(f"at {budget}", [UNKNOWN_CELL if lead is None else lead_text(lead) for lead in own])

    heading = "mean lead over\n(least; worst prompt)"
    return format_table_lines([TextColumn(heading, list(names), is_left_aligned=True), *map(column, budgets)])


def lead_text(lead: Lead) -> str:
    """In the mean over cells, and in brackets the least and that of the worst prompts, with cells where it is none."""
    behind = f", behind in {lead.worst_behind} of {lead.cells}" if lead.worst_behind else ""
    return f"{lead.mean:+.1f} ({lead.least:+.1f}; {lead.worst:+.1f}{behind})"


def words(verdict: Verdict) -> list[str]:
    """The verdict in sentences."""
    lines = [
        f"{verdict.ours} by speed-up is ahead of every other policy in {_share(verdict.best, verdict.counted)} cells "
        f"and budgets, of its own other forms too in {_share(verdict.best_of_all, verdict.counted)}"
        + (f"; {verdict.unknown} are not known" if verdict.unknown else "")
    ]
    for bar, found in verdict.behind.items():
        lines.append(f"behind another policy by more than {bar} dB: {len(found)}")
    found = verdict.behind[min(verdict.behind)]
    lines += [f"  {place}" for place in found[:MOST_NAMED]]
    return [*lines, f"  and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else lines


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})"


def as_csv(rows: Sequence[Row], ours: Sequence[str] = OURS) -> str:
    """Everything of the table, a line for every cell, budget and series that reaches it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(Point)]
    writer.writerow(["model", "condition", "steps", "prompts", "budget", "series", "policy", "role", *names])
    for standing in standings(cells_of(rows, ours)):
        cell = standing.cell
        for curve in cell.curves:
            if point := standing.found.get(curve.name):
                place = (cell.model, cell.condition, cell.steps, cell.prompts, standing.budget)
                figures = (f"{getattr(point, name):.6g}" for name in names)
                writer.writerow([*place, curve.name, curve.policy, curve.role, *figures])
    return text.getvalue()
