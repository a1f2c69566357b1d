"""Published lists scaled to other budgets and numbers of steps."""

import pytest
from benchmarks.quality.published_schedules import scale_list, spread_steps
from hypothesis import given
from hypothesis import strategies as st

from navicache.models import read_published_lists

SERIES = sorted({(found.model, found.method) for found in read_published_lists()})


def lists_of(model: str, method: str):
    return [found for found in read_published_lists() if (found.model, found.method) == (model, method)]


@given(st.sampled_from(SERIES), st.integers(2, 80), st.data())
def test_a_scaled_list_is_a_whole_run_of_the_wanted_length(series, total, data):
    computed = data.draw(st.integers(2, total))
    steps = scale_list(lists_of(*series), computed, total)
    assert len(steps) == computed and steps == sorted(set(steps))
    assert steps[0] == 0 and steps[-1] == total - 1


@pytest.mark.parametrize("series", SERIES, ids=", ".join)
def test_a_published_budget_comes_back_as_it_was(series):
    found = lists_of(*series)
    for one in found:
        assert scale_list(found, one.computed, one.total) == list(one.at)


@pytest.mark.parametrize("series", [series for series in SERIES if len(lists_of(*series)) == 3], ids=", ".join)
def test_a_budget_between_two_published_ones_starts_as_densely_as_one_of_them_or_between(series):
    found = lists_of(*series)
    sparse, between, dense = (sum(step < 12 for step in scale_list(found, count, 50)) for count in (13, 17, 21))
    assert sparse <= between <= dense


def test_more_than_any_list_computes_leans_to_every_step():
    flux = lists_of("FLUX.1-dev", "hill_climbing")
    assert scale_list(flux, 50, 50) == list(range(50))
    assert scale_list(flux, 25, 50)[:12] == list(range(12)), "the start stays dense"


def test_steps_that_fall_together_are_moved_apart_and_stay_in_the_run():
    assert spread_steps([0, 0, 4, 4, 4], 5) == [0, 1, 2, 3, 4]
    assert spread_steps([0, 2, 4], 5) == [0, 2, 4]


@pytest.mark.parametrize("computed", [1, 21])
def test_a_budget_that_no_run_has_is_refused(computed):
    with pytest.raises(ValueError, match=f"between 2 and 20 of 20 steps can be computed, not {computed}"):
        scale_list(lists_of("FLUX.1-dev", "budcache"), computed, 20)
