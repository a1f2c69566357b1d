"""The table at equal computed steps and the leads in it, as text."""

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction

from navicache.cli.bench.regret_table import format_regret_lines
from navicache.evaluation.bench.equal_steps import CellAtBudget, CurvePoint, compare_at_budgets, read_cells
from navicache.evaluation.bench.leads import LeadSummary, SeriesLead, summarise_leads
from navicache.evaluation.bench.plan import DEFAULT_OURS
from navicache.evaluation.bench.regret import find_regrets
from navicache.evaluation.bench.rows import Row
from navicache.records.text_table import UNKNOWN_CELL, TextColumn, format_table_lines

MOST_CELLS_NAMED = 20  # cells behind that are named; the page has all
NOTE = (
    "dB on average over prompts, on the line between the two nearest settings; "
    f"{UNKNOWN_CELL}: not reached; ~: those are more than a sixth of the steps apart"
)


def equal_steps_table(rows: Sequence[Row], ours: Sequence[str] = DEFAULT_OURS) -> list[str]:
    """A row for every cell and budget, then the leads; empty if no other policy has the same computed steps."""
    table = compare_at_budgets(read_cells(rows, ours))
    leads = summarise_leads(table)
    if not leads.counted:
        return []
    unfinished = sum(len(cell.unfinished) for cell in dict.fromkeys(standing.cell for standing in table))
    late = [f"not counted: {unfinished} settings that lack prompts"] if unfinished else []
    equal, behind = [*format_table_lines(_table_columns(table)), NOTE], [*describe_leads(leads), *late]
    return [*equal, "", *_lead_table(leads.leads), "", *format_regret_lines(table), "", *behind]


def _table_columns(table: Sequence[CellAtBudget]) -> list[TextColumn]:
    names = dict.fromkeys(curve.name for standing in table for curve in standing.cell.curves)
    best = [standing.best("rival") for standing in table]
    return [
        TextColumn("model", [standing.cell.model for standing in table], is_left_aligned=True),
        TextColumn("condition", [standing.cell.condition for standing in table], is_left_aligned=True),
        TextColumn("of the\nsteps", [str(standing.budget) for standing in table]),
        *(TextColumn(name.replace(" ", "\n", 1), [format_psnr(each, name) for each in table]) for name in names),
        TextColumn("best other\npolicy", [found[0] if found else UNKNOWN_CELL for found in best], is_left_aligned=True),
        TextColumn(f"lead of\n{table[0].cell.ours}", [format_lead(standing.lead("rival")) for standing in table]),
    ]


def format_psnr(standing: CellAtBudget, name: str) -> str:
    """The PSNR of a series; a tilde marks an interpolation over a wide gap."""
    point = standing.points_by_series.get(name)
    return UNKNOWN_CELL if point is None else f"{'~' if standing.is_wide(point) else ''}{point.psnr:.1f}"


def format_lead(value: float | None) -> str:
    """A lead with its sign; negative if another policy is ahead.

    Example:
        >>> format_lead(1.25), format_lead(-0.5), format_lead(-0.01), format_lead(None)
        ('+1.2', '-0.5', '+0.0', '-')
    """
    return UNKNOWN_CELL if value is None else f"{round(value, 1) + 0.0:+.1f}"


def _lead_table(leads: Sequence[SeriesLead]) -> list[str]:
    names, budgets = (dict.fromkeys(getattr(lead, field) for lead in leads) for field in ("name", "budget"))
    found = {(lead.name, lead.budget): lead for lead in leads}

    def column(budget: Fraction) -> TextColumn:
        own = [found.get((name, budget)) for name in names]
        return TextColumn(f"at {budget}", [UNKNOWN_CELL if lead is None else format_lead_figures(lead) for lead in own])

    heading = "mean lead over\n(least; worst prompt)"
    return format_table_lines([TextColumn(heading, list(names), is_left_aligned=True), *map(column, budgets)])


def format_lead_figures(lead: SeriesLead) -> str:
    """The average lead, and in brackets the smallest one and that of the worst prompts."""
    behind = f", behind in {lead.worst_behind} of {lead.cells}" if lead.worst_behind else ""
    return f"{lead.mean:+.1f} ({lead.least:+.1f}; {lead.worst:+.1f}{behind})"


def describe_leads(leads: LeadSummary) -> list[str]:
    """Where our policy is behind, in sentences."""
    lines = [f"behind another policy by more than {bar} dB: {len(found)}" for bar, found in leads.behind.items()]
    found = leads.behind[min(leads.behind)]
    lines += [f"  {place}" for place in found[:MOST_CELLS_NAMED]]
    return [*lines, f"  and {len(found) - MOST_CELLS_NAMED} more"] if len(found) > MOST_CELLS_NAMED else lines


def equal_steps_csv(rows: Sequence[Row], ours: Sequence[str] = DEFAULT_OURS) -> str:
    """The whole table as CSV: a line for every cell, budget and series that reaches it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(CurvePoint)]
    writer.writerow(["model", "condition", "steps", "prompts", "budget", "series", "policy", "role", *names, "regret"])
    for standing in compare_at_budgets(read_cells(rows, ours)):
        cell = standing.cell
        for curve in cell.curves:
            point, regrets = standing.points_by_series.get(curve.name), find_regrets(standing, curve.name)
            if point and regrets:
                place = (cell.model, cell.condition, cell.steps, cell.prompts, standing.budget)
                figures = (f"{getattr(point, name):.6g}" for name in names)
                writer.writerow([*place, curve.name, curve.policy, curve.role, *figures, f"{regrets['psnr']:.6g}"])
    return text.getvalue()
