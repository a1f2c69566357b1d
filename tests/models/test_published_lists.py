"""Published lists, as their file has them."""

from collections import Counter

import pytest

from navicache.models.published_lists import PublishedList, read_published_lists

LISTS = read_published_lists()
NAMES = [f"{found.model}, {found.method}, {found.computed}" for found in LISTS]


@pytest.mark.parametrize("found", LISTS, ids=NAMES)
def test_a_list_is_a_run_from_its_first_step_to_its_last(found: PublishedList):
    assert found.total == 50 and found.at[0] == 0 and found.at[-1] == 49
    assert list(found.at) == sorted(set(found.at)), "a step is computed once, and they come in order"
    assert found.computed in (21, 13, 9)
    assert found.source.startswith("nanguoyu/Golden-Path-Hypothesis at 41bc4e7, resources/")


def test_no_model_and_method_has_two_lists_for_a_budget():
    assert len(set(NAMES)) == len(LISTS) == 55


def test_every_model_has_searched_lists_and_planned_ones_for_each_budget():
    for model in ("FLUX.1-dev", "Qwen-Image", "HunyuanVideo", "Wan2.1-T2V-1.3B"):
        for budget in (21, 13, 9):
            kinds = {found.kind for found in LISTS if found.model == model and found.computed == budget}
            assert {"searched", "planned"} <= kinds, (model, budget)
    assert Counter(found.kind for found in LISTS) == {"searched": 20, "planned": 18, "gate": 17}


def test_the_list_that_beat_a_million_others():
    (best,) = (found for found in LISTS if found.method == "best_of_all_by_mean")
    assert (best.model, best.at) == ("FLUX.1-dev", (0, 1, 2, 4, 6, 11, 24, 41, 49))
    assert "1,370,754" in best.how and "candidate_manifest.tsv" in best.source
