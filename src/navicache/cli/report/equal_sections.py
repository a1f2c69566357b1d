"""Sections of a report at equal computed steps: the leads as a heat map, every series, and a curve of each cell."""

from collections.abc import Sequence

from navicache.cli.bench.equal_table import NOTE, format_lead, format_psnr
from navicache.cli.report.cells import number_cell
from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.equal_steps import BUDGETS, CellAtBudget, count_computed
from navicache.evaluation.bench.equal_steps import MeasuredCell as Bench
from navicache.evaluation.bench.leads import SeriesLead
from navicache.evaluation.bench.regret import SeriesRegret
from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.charts import SeriesLine, draw_equal_chart
from navicache.report.page_model import LegendEntry, PageChart, PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

AHEAD, BEHIND = "18,153,111", "194,56,77"  # green and red of the palette
DEEPEST = 6.0  # dB: a larger lead has no deeper colour


def equal_steps_section(results: BenchResults) -> PageSection | None:
    """Where the plan's own policy is ahead, by how much, and of which policy."""
    if not results.leads.counted:
        return None
    lead = (
        "Every series of settings at the same computed steps, on average over prompts. First the lead of "
        f"{results.ours[0]} by speed-up over the best other policy, then over each, then the regret of all series, "
        "how far each is below the best of everything measured in the same cell, and all figures."
    )
    tables = (_lead_map(results), _leads_table(results), _regret_table(results), _psnr_table(results))
    return PageSection("equal", "Equal computed steps", lead, tables=tables)


def _lead_map(results: BenchResults) -> PageTable:
    budgets = [f"{budget} of the steps" for budget in BUDGETS]
    lines = []
    for cell in results.cells:
        own = {standing.budget: standing for standing in results.standings if standing.cell is cell}
        leads = (_best_lead_cell(own.get(budget)) for budget in BUDGETS)
        lines.append(TableRow((TableCell(cell.model), TableCell(cell.condition), *leads)))
    behind = " ".join(f"{len(found)} are behind by more than {bar} dB." for bar, found in results.leads.behind.items())
    title, note = "Lead over the best other policy, dB", f"{behind} In small letters: who is best of the others."
    return PageTable(title, ("model", "condition", *budgets), tuple(lines), 2, note)


def _best_lead_cell(standing: CellAtBudget | None) -> TableCell:
    if standing is None:
        return TableCell(UNKNOWN_CELL)
    lead, best = standing.lead("rival"), standing.best("rival")
    if lead is None or best is None:
        return TableCell(UNKNOWN_CELL)
    return TableCell(format_lead(lead), lead, best[0], choose_lead_background(lead))


def choose_lead_background(lead: float) -> str:
    """A colour for a lead: green if ahead, red if behind, stronger with more decibels.

    Example:
        >>> choose_lead_background(3.0), choose_lead_background(-60.0)
        ('rgba(18,153,111,0.36)', 'rgba(194,56,77,0.60)')
    """
    depth = 0.12 + 0.48 * min(1.0, abs(lead) / DEEPEST)
    return f"rgba({AHEAD if lead >= 0 else BEHIND},{depth:.2f})"


def _leads_table(results: BenchResults) -> PageTable:
    found = {(lead.name, lead.budget): lead for lead in results.leads.leads}
    colours = {curve.name: policy_colour(curve.policy) for cell in results.cells for curve in cell.curves}
    lines = []
    for name in dict.fromkeys(lead.name for lead in results.leads.leads):
        cells = (TableCell(name), *(_mean_lead_cell(found.get((name, budget))) for budget in BUDGETS))
        lines.append(TableRow(cells, colour=colours[name]))
    note = "In small letters: the least lead of all cells; that of the worst prompt over theirs; where that is worse."
    headings = ("over", *(f"{budget} of the steps" for budget in BUDGETS))
    return PageTable("Mean lead over each, dB", headings, tuple(lines), 1, note)


def _mean_lead_cell(lead: SeriesLead | None) -> TableCell:
    if lead is None:
        return TableCell(UNKNOWN_CELL)
    small = f"{lead.least:+.1f}; {lead.worst:+.1f}; {lead.worst_behind} of {lead.cells}"
    return TableCell(format_lead(lead.mean), lead.mean, small, choose_lead_background(lead.mean))


def _regret_table(results: BenchResults) -> PageTable:
    lines = []
    for regret in results.regrets:
        figures = (*(regret.at(budget) for budget in BUDGETS), regret)
        cells = (TableCell(regret.curve.name), TableCell(regret.worst[1]), *map(_regret_cell, figures))
        lines.append(TableRow(cells, colour=policy_colour(regret.curve.policy)))
    note = "In small letters: the mean; of the median prompt; of the worst prompt; how many reach the budget."
    headings = ("series", "worst in", *(f"{budget} of the steps" for budget in BUDGETS), "all")
    return PageTable("Worst regret, dB", headings, tuple(lines), 2, note)


def _regret_cell(regret: SeriesRegret) -> TableCell:
    if not regret.known:
        return TableCell(UNKNOWN_CELL)
    worst, means = regret.worst[0], (f"{regret.mean(figure):.1f}" for figure in ("psnr", "median", "worst"))
    small = "; ".join((*means, f"{len(regret.known)} of {len(regret.known) + len(regret.missing)}"))
    return TableCell(f"{worst:.1f}", worst, small, choose_lead_background(-worst))


def _psnr_table(results: BenchResults) -> PageTable:
    policies = {curve.name: curve.policy for cell in results.cells for curve in cell.curves}
    names = sorted(policies, key=lambda name: policies[name] not in results.ours)
    lines = []
    for s in results.standings:
        place = TableCell(s.cell.model), TableCell(s.cell.condition), TableCell(str(s.budget), float(s.budget))
        lines.append(TableRow((*place, *(_psnr_cell(s, name) for name in names))))
    note = f"{NOTE}. In small letters: the worst prompt; how far the computed steps of prompts are apart."
    return PageTable("All series, PSNR in dB", ("model", "condition", "of the steps", *names), tuple(lines), 2, note)


def _psnr_cell(standing: CellAtBudget, name: str) -> TableCell:
    point = standing.points_by_series.get(name)
    if point is None:
        return number_cell(None)
    return TableCell(format_psnr(standing, name), point.psnr, f"{point.worst:.1f}; ±{point.spread / 2:.1f}")


def equal_curves_section(results: BenchResults) -> PageSection | None:
    """A small chart for each cell."""
    if not results.leads.counted:
        return None
    dashed = _dashed_series(results.cells)
    charts = []
    for cell in results.cells:
        trails = []
        for curve in cell.curves:
            points = [(point.computed, point.psnr) for point in curve.points]
            trails.append(SeriesLine(curve.policy, points, curve.name in dashed))
        counts = [float(count) for budget in BUDGETS if (count := count_computed(budget, cell.steps)) is not None]
        picture = draw_equal_chart(trails, counts, f"equal{len(charts)}")
        charts.append(PageChart(f"{cell.model}, {cell.condition}", picture, f"of {cell.steps} steps", "small"))
    seen = {curve.name: curve.policy for cell in results.cells for curve in cell.curves}
    words = {name: f"{name}, dashed" if name in dashed else name for name in seen}
    legend = tuple(LegendEntry(words[name], policy_colour(policy)) for name, policy in seen.items())
    lead = "PSNR over computed steps, each setting a mark; dotted: the budgets."
    return PageSection("equal-curves", "Curves", lead, tuple(charts), legend=legend)


def _dashed_series(cells: Sequence[Bench]) -> set[str]:
    """Series whose policy already has another series: they share its colour."""
    series: dict[str, dict[str, None]] = {}
    for curve in (curve for cell in cells for curve in cell.curves):
        series.setdefault(curve.policy, {})[curve.name] = None
    return {name for names in series.values() for name in list(names)[1:]}
