"""Figures as cells."""

from navicache.cli.report.cells import drop_empty_columns, estimate_cell, number_cell
from navicache.evaluation.intervals import MeanEstimate
from navicache.report.page_model import PageTable, TableCell, TableRow


def test_a_mean_has_its_interval_in_the_same_unit():
    assert estimate_cell(MeanEstimate(0.002, 0.001, 0.003, 4), ".1f", 1e3) == TableCell("2.0", 2.0, "1.0 … 3.0")
    assert estimate_cell(MeanEstimate(0.5, None, None, 1), ".2f") == TableCell("0.50", 0.5)
    assert estimate_cell(None, ".2f") == TableCell("-")


def test_columns_in_which_nothing_is_known_are_left_out():
    lines = [
        TableRow((TableCell("a"), number_cell(None), number_cell(1.0))),
        TableRow((TableCell("b"), number_cell(None), number_cell(None)), colour="c"),
    ]
    found = drop_empty_columns(PageTable("t", ("name", "LPIPS", "PSNR"), tuple(lines)))
    assert found.headings == ("name", "PSNR")
    assert [[cell.text for cell in line.cells] for line in found.lines] == [["a", "1.0"], ["b", "-"]]
    assert found.lines[1].colour == "c"
