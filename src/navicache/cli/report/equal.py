"""Sections of a report at equal computed steps: the leads as a heat map, every series, and a curve of each cell."""

from collections.abc import Sequence
from fractions import Fraction

from navicache.cli.bench.equal_table import NOTE, psnr_text, signed, words
from navicache.cli.report.cells import number
from navicache.cli.report.cells import words as text
from navicache.cli.report.results import Results
from navicache.evaluation.bench.equal import BUDGETS, Curve, Standing
from navicache.evaluation.bench.equal import Cell as Bench
from navicache.evaluation.bench.leads import Lead
from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.charts import Trail, equal_chart
from navicache.report.page_model import Cell, Chart, Key, Line, Section, Table
from navicache.report.palette import colour

AHEAD, BEHIND = "18,153,111", "194,56,77"  # green and red of the palette
DEEPEST = 6.0  # dB: a larger lead has no deeper colour


def equal(results: Results) -> Section | None:
    """The one table: where our policy is ahead, by how much, and of whom."""
    if not results.verdict.counted:
        return None
    lead = (
        "Every series of settings at the same computed steps, on average over prompts. First the lead of "
        f"{results.ours[0]} by speed-up over the best other policy, then over each, then all series. "
        f"{words(results.verdict)[0].capitalize()}."
    )
    return Section("equal", "Equal computed steps", lead, tables=(_heat(results), _leads(results), _series(results)))


def _heat(results: Results) -> Table:
    budgets = [f"{budget} of the steps" for budget in BUDGETS]
    lines = []
    for cell in results.cells:
        own = [standing for standing in results.table if standing.cell is cell]
        lines.append(Line((text(cell.model), text(cell.condition), *map(_lead_cell, own))))
    behind = " ".join(
        f"{len(found)} are behind by more than {bar} dB." for bar, found in results.verdict.behind.items()
    )
    title = "Lead over the best other policy, dB"
    return Table(
        title,
        ("model", "condition", *budgets),
        tuple(lines),
        2,
        f"{behind} In small letters: who is best of the others.",
    )


def _lead_cell(standing: Standing) -> Cell:
    lead, best = standing.lead("rival"), standing.best("rival")
    return Cell(UNKNOWN_CELL) if lead is None or best is None else Cell(signed(lead), lead, best[0], tone(lead))


def tone(lead: float) -> str:
    """A lead as a background, on light and on dark: green ahead, red behind, deeper by the decibel.

    Example:
        >>> tone(3.0), tone(-60.0)
        ('rgba(18,153,111,0.36)', 'rgba(194,56,77,0.60)')
    """
    depth = 0.12 + 0.48 * min(1.0, abs(lead) / DEEPEST)
    return f"rgba({AHEAD if lead >= 0 else BEHIND},{depth:.2f})"


def _leads(results: Results) -> Table:
    found = {(lead.name, lead.budget): lead for lead in results.verdict.leads}
    colours = {curve.name: colour(curve.policy) for cell in results.cells for curve in cell.curves}
    lines = [
        Line((text(name), *(_mean_cell(found.get((name, budget))) for budget in BUDGETS)), colour=colours[name])
        for name in dict.fromkeys(lead.name for lead in results.verdict.leads)
    ]
    note = "In small letters: the least lead of all cells; that of the worst prompt over theirs; where that is worse."
    headings = ("over", *(f"{budget} of the steps" for budget in BUDGETS))
    return Table("Mean lead over each, dB", headings, tuple(lines), 1, note)


def _mean_cell(lead: Lead | None) -> Cell:
    if lead is None:
        return Cell(UNKNOWN_CELL)
    small = f"{lead.least:+.1f}; {lead.worst:+.1f}; {lead.worst_behind} of {lead.cells}"
    return Cell(signed(lead.mean), lead.mean, small, tone(lead.mean))


def _series(results: Results) -> Table:
    names = dict.fromkeys(curve.name for cell in results.cells for curve in cell.curves)
    lines = [
        Line((text(s.cell.model), text(s.cell.condition), _budget_cell(s.budget), *(_psnr_cell(s, n) for n in names)))
        for s in results.table
    ]
    note = f"{NOTE}. In small letters: the worst prompt; how far the computed steps of prompts are apart."
    return Table("All series, PSNR in dB", ("model", "condition", "of the steps", *names), tuple(lines), 2, note)


def _budget_cell(budget: Fraction) -> Cell:
    return Cell(str(budget), float(budget))


def _psnr_cell(standing: Standing, name: str) -> Cell:
    point = standing.found.get(name)
    if point is None:
        return number(None)
    return Cell(psnr_text(standing, name), point.psnr, f"{point.worst:.1f}; ±{point.spread / 2:.1f}")


def equal_curves(results: Results) -> Section | None:
    """One small picture a cell."""
    if not results.verdict.counted:
        return None
    dashed = _dashed(results.cells)
    charts = []
    for cell in results.cells:
        trails = [Trail(curve.policy, _places(curve), curve.name in dashed) for curve in cell.curves]
        picture = equal_chart(trails, [float(budget * cell.steps) for budget in BUDGETS], f"equal{len(charts)}")
        charts.append(Chart(f"{cell.model}, {cell.condition}", picture, f"of {cell.steps} steps", "small"))
    seen = {curve.name: curve.policy for cell in results.cells for curve in cell.curves}
    legend = tuple(Key(f"{name}, dashed" if name in dashed else name, colour(policy)) for name, policy in seen.items())
    lead = "PSNR over computed steps, each setting a mark; dotted: the budgets."
    return Section("equal-curves", "Curves", lead, tuple(charts), legend=legend)


def _dashed(cells: Sequence[Bench]) -> set[str]:
    """Series of a policy that has another one before: they share its colour."""
    series: dict[str, dict[str, None]] = {}
    for curve in (curve for cell in cells for curve in cell.curves):
        series.setdefault(curve.policy, {})[curve.name] = None
    return {name for names in series.values() for name in list(names)[1:]}


def _places(curve: Curve) -> list[tuple[float, float]]:
    return [(point.computed, point.psnr) for point in curve.points]
