"""The library's tables with the paper's published rows below the measured ones."""

from dataclasses import replace

from benchmarks.paper.published import ABLATIONS, SOURCE, TABLE_1, AblationRow, PublishedRow
from navicache.cli.report.cells import number_cell
from navicache.cli.report.results import BenchResults
from navicache.cli.report.sections import ablations_section
from navicache.cli.report.settings_table import model_titles, settings_table, table_section
from navicache.report.page_model import PageSection, PageTable, TableCell, TableRow

USUAL = "Wan 2.1-1.3B"  # its published rows are shown for a model that has none
ABLATION_HEADINGS = ("knobs", "seconds", "PSNR", "SSIM", "LPIPS")
ABLATION_NOTE = f"{SOURCE}, Wan 2.1-1.3B, on its authors' machine."


def table_with_published(results: BenchResults) -> PageSection:
    """Measured rows, and published ones of the same model, or else of the paper's first."""
    return table_section([_settings_table(results, model, title) for model, title in model_titles(results).items()])


def _settings_table(results: BenchResults, model: str, title: str) -> PageTable:
    named = next(summary.first["published"] for summary in results.summaries if summary.place[0] == model)
    shown = named or (USUAL if results.has_times and not title else "")
    note = f"Published rows: {SOURCE}, {shown}, on its authors' machines." if shown else ""
    if shown and not named:
        note += " They are of a far larger model than the one measured here, and only for orientation."
    return settings_table(results, model, title, tuple(map(_published_row, TABLE_1.get(shown, ()))), note)


def _published_row(row: PublishedRow) -> TableRow:
    nothing = number_cell(None)
    quality = (
        number_cell(row.psnr, ".2f"),
        number_cell(row.ssim, ".4f"),
        number_cell(row.lpips, ".4f"),
        number_cell(row.vbench, ".2f"),
    )
    times = (nothing, number_cell(row.speedup, ".2f"), nothing, nothing, number_cell(row.seconds, ".2f"))
    names = (TableCell(row.name), nothing, TableCell("published"), nothing, nothing, nothing)
    return TableRow((*names, *times, *quality, nothing), "published")


def ablations_with_published(results: BenchResults) -> PageSection | None:
    """The measured ablations, then the published ones of the knobs that were swept."""
    section = ablations_section(results)
    if section is None:
        return None
    rows = [summary.first for summary in results.summaries if summary.first["policy"] == "navicache"]
    swept = dict.fromkeys(" and ".join(row["swept"]) for row in rows if row["swept"])
    tables = (_ablation_table(knobs) for knobs in swept if knobs in ABLATIONS)
    return replace(section, tables=(*section.tables, *tables))


def _ablation_table(knobs: str) -> PageTable:
    lines = tuple(map(_ablation_row, ABLATIONS[knobs]))
    return PageTable(f"{knobs} of navicache, as published", ABLATION_HEADINGS, lines, 1, ABLATION_NOTE)


def _ablation_row(row: AblationRow) -> TableRow:
    quality = (number_cell(row.psnr, ".2f"), number_cell(row.ssim, ".4f"), number_cell(row.lpips, ".4f"))
    return TableRow((TableCell(row.knobs), number_cell(row.seconds, ".2f"), *quality), "published")
