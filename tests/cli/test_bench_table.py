"""The closing table of a benchmark."""

from navicache.cli.bench_table import cell, describe
from navicache.evaluation.intervals import Estimate


def row(setting, psnr=None, condition="own", kind="cached", group="g"):
    return {
        "group": group,
        "kind": kind,
        "model": "toy",
        "condition": condition,
        "setting": setting,
        "seconds": {"call": 2.0, "loop": 1.0},
        "steps": {"total": 8, "computed": 4, "partial": 0},
        "peak_memory": None,
        "harness_seconds": 0.1,
        "quality": psnr and {"psnr": psnr},
    }


def test_a_line_a_setting_and_no_column_that_nobody_knows():
    heading, *rest = "\n".join(describe([row("N", 30.0), row("N", 40.0, group="h"), row("E", 20.0)])).splitlines()
    text = "\n".join(rest)
    assert "35.00 ±" in text and "20.00" in text
    assert "LPIPS" not in heading + text and "condition" not in heading + text


def test_conditions_are_shown_where_they_differ():
    assert "condition" in "\n".join(describe([row("N", condition="one"), row("N", condition="two")]))


def test_what_was_not_possible_is_told_below():
    refused = {"kind": "refused", "setting": "pab", "model": "toy", "reason": "it has no blocks"}
    assert describe([row("N"), refused])[-1] == "not possible: pab on toy: it has no blocks"


def test_nothing_yet():
    assert describe([]) == ["nothing measured yet"]


def test_a_mean_with_half_the_width_of_its_interval():
    assert cell(Estimate(2.0, 1.5, 2.5, 4), ".1f") == "2.0 ±0.5"
    assert cell(Estimate(2.0, None, None, 1), ".1f") == "2.0"
    assert cell(None, ".1f") == "-"
