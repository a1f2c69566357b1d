"""Summaries of rows, by mental arithmetic."""

import pytest
from tests.support.rows import measured_row

from navicache.evaluation.bench.summaries import (
    compute_ideal_speedup,
    measure_overhead,
    measure_speedup,
    summarise_rows,
)

ROWS = [
    measured_row("baseline", "g", 10.0, kind="baseline", computed=10),
    measured_row("a", "g", 5.0, psnr=30.0),
    measured_row("every step", "g", 9.0, kind="shadow"),
    measured_row("baseline", "h", 12.0, kind="baseline", computed=10),
    measured_row("a", "h", 4.0, psnr=40.0),
]


def test_speed_is_against_the_own_baseline():
    plain, fast = summarise_rows(ROWS)
    assert [summary.place for summary in (plain, fast)] == [("m", "c", "baseline"), ("m", "c", "a")]
    assert fast.mean("speedup") == pytest.approx((10 / 5 + 12 / 4) / 2)
    assert fast.figures["speedup"].low >= 2 and fast.figures["speedup"].high <= 3
    assert (plain.mean("speedup"), fast.mean("psnr"), fast.mean("computed")) == (1, 35, 5)
    assert fast.mean("harness") == pytest.approx((0.5 / 5 + 0.5 / 4) / 2)
    assert fast.mean("lpips") is None and plain.mean("psnr") is None and fast.mean("peak_memory") is None


def test_a_figure_that_one_row_lacks_is_no_mean():
    rows = [*ROWS, measured_row("a", "lost", 3.0, psnr=20.0)]
    fast = summarise_rows(rows)[1]
    assert fast.mean("speedup") is None, "one has no baseline"
    assert fast.mean("psnr") == 30


def test_overhead_is_what_the_computed_steps_do_not_explain():
    plain = measured_row("baseline", "g", 20.0, kind="baseline", computed=10)  # a loop of 10 s: 1 s a step
    assert measure_overhead(measured_row("a", "g", 12.0, computed=5), plain) == pytest.approx((6 - 5) / 10)
    assert measure_overhead(measured_row("a", "g", 12.0), None) is None
    assert measure_overhead(measured_row("a", "g", 12.0, computed=10, partial=5), plain) is None
    assert measure_overhead(measured_row("a", "g", 12.0), {**plain, "steps": {"total": None, "computed": None}}) is None
    assert measure_overhead(measured_row("a", "g", 12.0, seconds={"loop": None}), plain) is None
    fast, slow = (measured_row("a", "g", 10.0, seconds={"cpu": seconds}) for seconds in (4.0, 8.0))
    assert measure_speedup(fast, slow, "cpu") == 2
    assert measure_speedup(measured_row("a", "g", 10.0), plain, "cpu") is None


def test_a_plain_run_right_before_takes_the_place_of_the_groups_baseline():
    plain = measured_row("baseline", "g", 20.0, kind="baseline", computed=10)
    row = {**measured_row("a", "g", 6.0, computed=5), "plain_seconds": {"call": 12.0, "loop": 8.0}}
    own = row["seconds"]
    assert measure_speedup(row, plain, "call") == pytest.approx(12 / own["call"])
    assert measure_speedup(row, plain, "loop") == pytest.approx(8 / own["loop"])
    assert measure_overhead(row, plain) == pytest.approx((own["loop"] - 5 * 0.8) / 10)


def test_what_the_computed_steps_allow():
    plain = measured_row("baseline", "g", 20.0, kind="baseline", computed=10)
    assert compute_ideal_speedup(measured_row("a", "g", 6.0, computed=4), plain) == 2.5
    assert compute_ideal_speedup(measured_row("a", "g", 6.0, computed=10, partial=3), plain) is None
    assert compute_ideal_speedup(plain, plain) is None
