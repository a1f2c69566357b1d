"""Summaries of rows, by mental arithmetic."""

import pytest

from navicache.evaluation.bench.study import overhead, speedup, summarise
from navicache.evaluation.collection import FIGURES


def row(setting, group, call, *, kind="cached", computed=5, psnr=None, **more):
    quality = None if psnr is None else {**dict.fromkeys(FIGURES, 0.9), "psnr": psnr, "lpips": None}
    seconds = {"call": call, "loop": call / 2, **more.pop("seconds", {})}
    base = {"model": "m", "condition": "c", "setting": setting, "group": group, "kind": kind, "seconds": seconds}
    return base | {
        "steps": {"total": 10, "computed": computed, "partial": more.pop("partial", 0)},
        "quality": quality,
        "peak_memory": None,
        "harness_seconds": 0.5,
        **more,
    }


ROWS = [
    row("baseline", "g", 10.0, kind="baseline", computed=10),
    row("a", "g", 5.0, psnr=30.0),
    row("every step", "g", 9.0, kind="shadow"),
    row("baseline", "h", 12.0, kind="baseline", computed=10),
    row("a", "h", 4.0, psnr=40.0),
]


def test_speed_is_against_the_own_baseline():
    plain, fast = summarise(ROWS)
    assert [summary.place for summary in (plain, fast)] == [("m", "c", "baseline"), ("m", "c", "a")]
    assert fast.mean("speedup") == pytest.approx((10 / 5 + 12 / 4) / 2)
    assert fast.figures["speedup"].low >= 2 and fast.figures["speedup"].high <= 3
    assert (plain.mean("speedup"), fast.mean("psnr"), fast.mean("computed")) == (1, 35, 5)
    assert fast.mean("harness") == pytest.approx((0.5 / 5 + 0.5 / 4) / 2)
    assert fast.mean("lpips") is None and plain.mean("psnr") is None and fast.mean("peak_memory") is None


def test_a_figure_that_one_row_lacks_is_no_mean():
    rows = [*ROWS, row("a", "lost", 3.0, psnr=20.0)]
    fast = summarise(rows)[1]
    assert fast.mean("speedup") is None, "one has no baseline"
    assert fast.mean("psnr") == 30


def test_overhead_is_what_the_computed_steps_do_not_explain():
    plain = row("baseline", "g", 20.0, kind="baseline", computed=10)  # a loop of 10 s: 1 s a step
    assert overhead(row("a", "g", 12.0, computed=5), plain) == pytest.approx((6 - 5) / 10)
    assert overhead(row("a", "g", 12.0), None) is None
    assert overhead(row("a", "g", 12.0, computed=10, partial=5), plain) is None
    assert overhead(row("a", "g", 12.0), {**plain, "steps": {"total": None, "computed": None}}) is None
    assert overhead(row("a", "g", 12.0, seconds={"loop": None}), plain) is None
    assert speedup(row("a", "g", 10.0, seconds={"cpu": 4.0}), row("b", "g", 9.0, seconds={"cpu": 8.0}), "cpu") == 2
    assert speedup(row("a", "g", 10.0), plain, "cpu") is None
