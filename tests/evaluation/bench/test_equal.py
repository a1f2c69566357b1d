"""Curves at equal computed steps, by mental arithmetic."""

from fractions import Fraction

import pytest

from navicache.evaluation.bench.equal import BUDGETS, Curve, Point, cells_of, standings
from navicache.evaluation.bench.verdict import judge

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def row(*figures, prompt=0, series="", policy="navicache", kind="cached", knobs=None, cell=("m", "c"), total=12):
    setting, computed, psnr = figures
    steps = {"total": total, "computed": computed, "partial": 0}
    quality = None if kind == "baseline" else {"psnr": psnr}
    return {
        **{"model": cell[0], "condition": cell[1], "setting": setting, "series": series, "policy": policy},
        **{"prompt": str(prompt), "seed": 0, "kind": kind, "steps": steps, "quality": quality, "knobs": knobs or {}},
    }


def plain(count=2, cell=("m", "c"), total=12):
    more = {"kind": "baseline", "policy": "none", "cell": cell, "total": total}
    return [row("baseline", total, None, prompt=prompt, **more) for prompt in range(count)]


def both(setting, first, second, **more):
    """A setting on two prompts, each (computed, psnr)."""
    return [row(setting, *first, **more), row(setting, *second, prompt=1, **more)]


INERTIAL = [
    *both("I 1", (6, 50.0), (6, 40.0), series="I", policy="inertial", knobs={"speedup": 2.0}),
    *both("I 2", (3, 30.0), (3, 20.0), series="I", policy="inertial", knobs={"speedup": 4.0}),
]
NAVICACHE = [
    *both("N 1", (9, 48.0), (7, 44.0), series="N", knobs={"threshold": 0.1}),
    *both("N 2", (5, 38.0), (3, 34.0), series="N", knobs={"threshold": 0.2}),
]
BY_THRESHOLD = both("T", (6, 46.0), (6, 46.0), policy="inertial", knobs={"threshold": 0.2, "speedup": None})


def test_curves_are_read_off_between_their_settings():
    (cell,) = cells_of([*plain(), *INERTIAL, *NAVICACHE, *BY_THRESHOLD])
    assert (cell.model, cell.condition, cell.steps, cell.prompts) == ("m", "c", 12, 2)
    assert {curve.name: curve.role for curve in cell.curves} == {"I": "ours", "N": "rival", "T": "ours by threshold"}
    half, fifths, third, quarter = standings([cell])
    assert half.found["N"] == Point(6, 41.0, 39.0, 2.0, 4.0), "half way between (4, 36) and (8, 46)"
    assert half.ours == Point(6, 45.0, 40.0, 0)
    assert half.lead("rival") == 4 and half.lead("ours by threshold") == -1 and half.lead("our schedule") is None
    assert half.best("rival", "ours by threshold") == ("T", Point(6, 46.0, 46.0, 0))
    assert third.found["N"] == Point(4, 36.0, 34.0, 2)
    assert "T" not in third.found and quarter.found.keys() == {"I"}, "nothing is guessed beyond a series' settings"
    assert fifths.ours == Point(pytest.approx(4.8), pytest.approx(37.0), pytest.approx(32.0), 0, 3)
    assert half.wide(half.found["N"]) and not half.wide(half.ours), "four of twelve steps are a long way"


def test_parts_of_steps_do_not_count_and_of_two_the_better_does():
    rows = both("A", (6, 30.0), (6, 30.0))
    parts = both("B", (12, 33.0), (12, 33.0), policy="taylorseer")
    for each in parts:
        each["steps"]["partial"] = 6
    (standing,) = standings(cells_of([*plain(), *rows, *parts]), [HALF])
    assert {name: point.computed for name, point in standing.found.items()} == {"A": 6, "B": 6}
    twice = Curve("x", "navicache", "rival", (Point(6, 30.0, 1, 0), Point(6, 31.0, 2, 0), Point(6, 29.0, 3, 0)))
    assert twice.at(6) == Point(6, 31.0, 2, 0)
    assert Curve("x", "navicache", "rival", (Point(0.1 + 0.2, 1, 1, 0),)).at(0.3) is not None, "but for rounding"


def test_a_setting_that_lacks_prompts_does_not_count():
    rows = [*plain(3), *INERTIAL, row("N 1", 6, 44.0)]
    (cell,) = cells_of(rows)
    assert cell.curves == () and cell.unfinished == ("I 1", "I 2", "N 1")
    assert cells_of(INERTIAL) == [], "without a baseline there is nothing to stand against"


def test_the_verdict_counts_cells_and_budgets():
    other = {"cell": ("m", "d")}
    behind = [
        *plain(**other),
        *both("I", (6, 40.0), (6, 40.0), policy="inertial", **other),
        *both("N", (6, 41.0), (6, 39.4), series="N", knobs={"threshold": 0.1}, **other),
        *both("S", (6, 42.0), (6, 42.0), policy="schedule", **other),
    ]
    table = standings(cells_of([*plain(), *INERTIAL, *NAVICACHE, *behind]))
    verdict = judge(table)
    assert len(table) == 2 * len(BUDGETS)
    assert (verdict.counted, verdict.unknown) == (4, 4), "half, two fifths and a third of the one, half of the other"
    assert (verdict.best, verdict.best_of_all) == (1, 1)
    behind = ("m, c, 1/3: -4.33 dB to N", "m, c, 2/5: -1.00 dB to N")
    assert verdict.behind == {0.5: behind, 1.5: behind[:1]}, "S is ours, and 0.2 dB behind N in m, d within the bar"
    leads = {(lead.name, lead.budget): lead for lead in verdict.leads}
    over = leads["N", HALF]
    assert over.mean == pytest.approx((4.0 - 0.2) / 2) and over.least == pytest.approx(-0.2)
    assert over.worst == pytest.approx((40 - 39 + 40 - 39.4) / 2) and (over.worst_behind, over.cells) == (0, 2)
    assert leads["S", HALF].mean == -2 and ("S", THIRD) not in leads
