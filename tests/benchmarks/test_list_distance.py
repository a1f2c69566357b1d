"""The default beside the lists that others compute on published weights."""

from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest
from benchmarks.quality import list_chart, list_distance
from benchmarks.quality.list_distance import BUDGETS, SHIFTS, choose_default, choose_even, measure_distance
from hypothesis import given
from hypothesis import strategies as st

from navicache.policies.noise_levels import build_shifted_levels

PAGE = Path(__file__).parents[2] / "docs" / "results" / "published-lists" / "README.md"
COUNTED = list_distance.list_counted()
SEARCHED = [each for each in COUNTED if each.kind == "searched"]
MOST_MEAN, MOST_SEARCHED = 2.7, 2.0  # steps; an even list has 5.1 and 6.3


def test_the_default_stays_near_the_published_lists():
    assert list_distance.measure_mean(choose_default, COUNTED) <= MOST_MEAN


def test_the_default_stays_nearer_to_those_that_were_searched():
    assert list_distance.measure_mean(choose_default, SEARCHED) <= MOST_SEARCHED


@pytest.mark.parametrize("model", SHIFTS)
@pytest.mark.parametrize("budget", BUDGETS)
def test_schedules_are_compared_at_their_whole_budget(model, budget):
    for choose in (choose_default, choose_even):
        steps = choose(model, budget)
        assert len(steps) == budget and steps == sorted(set(steps))
        assert steps[0] == 0 and steps[-1] == 49


def test_the_default_is_asked_for_any_length_of_a_run():
    for total, computed in ((20, 10), (30, 9), (50, 25)):
        steps = list_distance.ask_default(build_shifted_levels(total, 5.0), computed)
        assert len(steps) == computed and steps[-1] == total - 1


LISTS_OF_NINE = st.lists(st.integers(0, 49), min_size=9, max_size=9, unique=True).map(sorted)


@given(LISTS_OF_NINE, LISTS_OF_NINE, LISTS_OF_NINE)
def test_distance_is_a_distance(one, other, third):
    assert measure_distance(one, one) == 0 and (measure_distance(one, other) > 0) == (one != other)
    assert measure_distance(one, other) == measure_distance(other, one)
    assert measure_distance(one, third) <= measure_distance(one, other) + measure_distance(other, third) + 1e-9


def test_every_budget_counts_once_however_many_lists_it_has():
    by_budget = list_distance.measure_by_budget(choose_even, COUNTED)
    assert list_distance.measure_mean(choose_even, COUNTED) == fmean(by_budget.values())
    assert [round(by_budget[budget], 1) for budget in BUDGETS] == [4.8, 5.5, 5.1]
    assert round(list_distance.measure_mean(choose_even, SEARCHED), 1) == 6.3


def test_the_published_lists_are_compared_with_each_other_and_not_with_themselves():
    spread = list_distance.measure_spread(COUNTED)
    for budget in BUDGETS:
        pairs = combinations([each.at for each in COUNTED if each.computed == budget], 2)
        assert spread[budget] == pytest.approx(fmean(measure_distance(*pair) for pair in pairs))


def test_a_list_of_the_users_is_compared_at_its_own_budget(capsys):
    list_distance.main(["--at", "0,1,2,4,6,11,24,41,49"])
    (row,) = (line for line in capsys.readouterr().out.splitlines() if "0 1 2 4 6 11" in line)
    assert row.split(" | ")[1:5] == ["–", "–", "2.0", "2.0"]


@pytest.mark.parametrize("steps", ["0,1,2", "0,1,2,3,4,5,6,7,50"])
def test_a_list_that_nothing_published_is_like_is_refused(steps, capsys):
    with pytest.raises(SystemExit):
        list_distance.main(["--at", steps])
    assert "21, 13 and 9 of 50 steps" in capsys.readouterr().err


def test_the_page_has_todays_tables(capsys):
    page = PAGE.read_text(encoding="utf-8").splitlines()
    list_distance.main([])
    printed = [*capsys.readouterr().out.splitlines(), *list_chart.draw_lines(13)]
    missing = [line for line in printed if line not in page]
    assert not missing, "run benchmarks.quality.list_distance and list_chart, and put this into the page"


def test_the_chart_has_a_row_for_every_counted_list_of_the_budget(tmp_path):
    figure = list_chart.draw_chart(9)
    names = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    assert len(names) == sum(each.computed == 9 for each in COUNTED) + len(SHIFTS)
    assert names.count(list_distance.DEFAULT) == len(SHIFTS)
    assert list_chart.main(["--computed", "9", "--out", str(tmp_path / "lists.png")]) == 0
    assert (tmp_path / "lists.png").stat().st_size > 10_000
