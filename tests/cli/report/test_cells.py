"""Figures as cells."""

from navicache.cli.report.cells import figure_cell, number, without_empty, words
from navicache.evaluation.intervals import MeanEstimate
from navicache.report.page_model import Cell, Line, Table


def test_a_mean_has_its_interval_in_the_same_unit():
    assert figure_cell(MeanEstimate(0.002, 0.001, 0.003, 4), ".1f", 1e3) == Cell("2.0", 2.0, "1.0 … 3.0")
    assert figure_cell(MeanEstimate(0.5, None, None, 1), ".2f") == Cell("0.50", 0.5)
    assert figure_cell(None, ".2f") == Cell("-")


def test_columns_in_which_nothing_is_known_are_left_out():
    lines = [Line((words("a"), number(None), number(1.0))), Line((words("b"), number(None), number(None)), colour="c")]
    found = without_empty(Table("t", ("name", "LPIPS", "PSNR"), tuple(lines)))
    assert found.headings == ("name", "PSNR")
    assert [[cell.text for cell in line.cells] for line in found.lines] == [["a", "1.0"], ["b", "-"]]
    assert found.lines[1].colour == "c"
