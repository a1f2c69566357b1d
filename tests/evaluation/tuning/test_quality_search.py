"""The search for the fastest setting that keeps a quality."""

import pytest
from tests.support.made_up_models import LEVELS, World, make_search

from navicache.evaluation.tuning.quality_search import QualitySearch
from navicache.evaluation.tuning.scores import Candidate, RunScore
from navicache.evaluation.tuning.search import Search, build_default
from navicache.evaluation.tuning.shapes import SHAPES


def test_the_second_keeps_a_quality_where_the_first_fails():
    world = World(score=lambda _, budget: float(budget))
    search = make_search(world)
    first, second = (
        Candidate(name, "schedule", {"at": SHAPES[name].build(LEVELS, 25)})
        for name in SHAPES
        if name in ("even gaps", "start 4")
    )
    world.try_out([(first, range(0, 8, 2)), (second, range(8))])
    for prompt in range(8):
        world.board.add_run(first.name, prompt, RunScore({"psnr": 1.0 if prompt % 2 else 99.0}, 25, 50))
        world.board.add_run(second.name, prompt, RunScore({"psnr": 90.0}, 25, 50))
    found = QualitySearch(search, limit=40)._confirm([first, second], 25, lambda budget: build_default(50, budget))
    assert found == second


@pytest.mark.parametrize("metric", ["psnr", "lpips"])
def test_the_fastest_setting_that_keeps_a_quality_is_found(metric):
    """Quality follows the number of computed steps alone: 30 of 50 are just enough."""
    sign = 1 if metric == "psnr" else -1
    world = World(metric, score=lambda _, budget: sign * budget)
    best = QualitySearch(make_search(world), limit=sign * 30).find_fastest()
    assert 30 <= world.budget(best) <= 32


def test_a_better_shape_makes_it_faster():
    def score(candidate, budget):
        return budget + (8 if candidate.policy == "schedule" else 0)

    world = World(score=score)
    best = QualitySearch(make_search(world), limit=30).find_fastest()
    assert best.policy == "schedule" and 22 <= world.budget(best) <= 27


def test_a_quality_that_fails_elsewhere_is_paid_with_more_steps():
    world = World(score=lambda _, budget: budget)
    real = world.try_out

    def try_out(trials):
        real(trials)
        for (name, prompt), run in list(world.board.runs.items()):
            if prompt % 2:
                world.board.add_run(name, prompt, run._replace(scores={"psnr": run.computed - 5.0}))

    search = make_search(world)
    best = QualitySearch(Search(search.task, world.board, try_out), limit=30).find_fastest()
    assert world.budget(best) >= 32 and world.board.keeps(best.name, range(8), 30)


def test_a_quality_that_nothing_keeps_ends_with_every_step():
    world = World(score=lambda _, budget: 10.0)
    best = QualitySearch(make_search(world), limit=90).find_fastest()
    assert best == build_default(50, 50)


def test_one_bad_video_does_not_make_all_others_slow():
    """The mean keeps the limit from 20 steps on, and one of 16 videos is far beyond it at any speed."""
    world = World("lpips", score=lambda _, budget: 0.02 if budget >= 20 else 0.09)
    real = world.try_out

    def try_out(trials):
        real(trials)
        for (name, prompt), run in list(world.board.runs.items()):
            if prompt == 0 and run.computed >= 20:
                world.board.add_run(name, prompt, run._replace(scores={"lpips": 0.12}))

    search = make_search(world, prompts=16)
    best = QualitySearch(Search(search.task, world.board, try_out), limit=0.05).find_fastest()
    assert 20 <= world.budget(best) <= 22
