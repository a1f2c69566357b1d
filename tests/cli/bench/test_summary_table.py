"""The closing table of a benchmark."""

from tests.support.rows import measured_row

from navicache.cli.bench.summary_table import format_estimate, summary_table
from navicache.evaluation.intervals import MeanEstimate


def test_a_line_a_setting_and_no_column_that_nobody_knows():
    rows = [measured_row("N", "g", psnr=30.0), measured_row("N", "h", psnr=40.0), measured_row("E", psnr=20.0)]
    text = "\n".join(summary_table(rows))
    assert "35.00 ±" in text and "20.00" in text
    assert "LPIPS" not in text and "condition" not in text


def test_conditions_are_shown_where_they_differ():
    assert "condition" in "\n".join(
        summary_table([measured_row("N", condition="one"), measured_row("N", condition="two")])
    )


def test_what_was_not_possible_is_told_below():
    refused = {"kind": "refused", "setting": "pab", "model": "toy", "reason": "it has no blocks"}
    assert summary_table([measured_row("N"), refused])[-1] == "not possible: pab on toy: it has no blocks"


def test_nothing_yet():
    assert summary_table([]) == ["nothing measured yet"]


def test_a_mean_with_half_the_width_of_its_interval():
    assert format_estimate(MeanEstimate(2.0, 1.5, 2.5, 4), ".1f") == "2.0 ±0.5"
    assert format_estimate(MeanEstimate(2.0, None, None, 1), ".1f") == "2.0"
    assert format_estimate(None, ".1f") == "-"
