"""The search over a made-up model whose best setting is known."""

import random
from collections import Counter

import pytest

from navicache.evaluation.tuning.quality_search import QualitySearch
from navicache.evaluation.tuning.scores import Candidate, RunScore, Scoreboard
from navicache.evaluation.tuning.search import Search, TuneTask, build_default, build_usual_list
from navicache.evaluation.tuning.shapes import SHAPES
from navicache.policies.noise_levels import build_shifted_levels

LEVELS = build_shifted_levels(50, 3.0)
LIKED = SHAPES["start 16, end 4"]


class World:
    """Scores a candidate by how many of the liked steps it computes; counts what was run."""

    def __init__(self, metric="psnr", noise=0.0, score=None, total=50):
        self.board, self.runs, self.total = Scoreboard(metric), Counter(), total
        self.noise, self.score = noise, score or self.count_liked

    def count_liked(self, candidate, budget):
        steps = candidate.steps or build_usual_list(LEVELS, budget, candidate) or ()
        return 20.0 + len(set(steps) & set(LIKED.build(LEVELS, budget)))

    def budget(self, candidate):
        return len(candidate.steps) if candidate.steps else round(self.total / candidate.knobs["speedup"])

    def try_out(self, trials):
        for candidate, prompts in trials:
            for prompt in prompts:
                if (candidate.name, prompt) in self.board.runs:
                    continue
                self.runs[candidate.name] += 1
                budget, luck = self.budget(candidate), random.Random(f"{candidate.name} {prompt}").gauss(0, self.noise)
                scores = {self.board.metric: self.score(candidate, budget) + luck}
                self.board.add_run(candidate.name, prompt, RunScore(scores, budget, self.total))


def make_search(world, prompts=8, **task):
    return Search(TuneTask(LEVELS, range(0, prompts, 2), range(1, prompts, 2), **task), world.board, world.try_out)


def test_the_liked_list_is_found_and_confirmed():
    world = World()
    best = make_search(world).find_best(25)
    assert best.steps is not None and world.count_liked(best, 25) == 45
    assert world.board.has(best.name, range(8)) and world.board.has("default 25", range(8))


def test_luck_is_not_chosen():
    """All candidates are equal, and noise of 3 dB makes some of them look good on a few prompts."""
    world = World(noise=3.0, score=lambda *_: 30.0)
    best = make_search(world, prompts=32).find_best(25)
    assert best.name == "default 25" or world.board.lead(best.name, "default 25", range(1, 32, 2), caution=0) > 0


def test_a_candidate_that_is_worse_where_nobody_chose_is_dropped():
    world = World()
    search = make_search(world)

    def score(candidate, budget):
        return 40.0 if candidate.policy == "schedule" else 35.0

    world.score = score
    real = world.try_out

    def try_out(trials):
        real(trials)
        for (name, prompt), run in list(world.board.runs.items()):
            if prompt % 2 and not name.startswith("default") and run.scores["psnr"] == 40.0:
                world.board.add_run(name, prompt, run._replace(scores={"psnr": 20.0}))

    assert Search(search.task, world.board, try_out).find_best(25).name == "default 25"


def prefer_where_searched(world):
    """One list is the best on the prompts of the search and the worst elsewhere; another is good everywhere."""
    lucky, good = (SHAPES[name].build(LEVELS, 25) for name in ("even gaps", "start 4"))

    def try_out(trials):
        for candidate, prompts in trials:
            for prompt in prompts:
                found = {lucky: 20.0 if prompt % 2 else 50.0, good: 40.0}.get(candidate.steps, 30.0)
                world.runs[candidate.name] += 1
                world.board.add_run(candidate.name, prompt, RunScore({"psnr": found}, 25, 50))

    return try_out


def test_the_second_best_of_the_search_is_confirmed_too():
    world = World()
    task = TuneTask(LEVELS, range(0, 8, 2), range(1, 8, 2), most_cost=33.0)  # no round of moves
    best = Search(task, world.board, prefer_where_searched(world)).find_best(25)
    assert best.name == "start 4 25" and world.board.has("even gaps 25", range(8))


def test_a_second_that_the_budget_has_no_room_for_is_not_confirmed():
    world = World()
    task = TuneTask(LEVELS, range(0, 8, 2), range(1, 8, 2), most_cost=8.0)
    best = Search(task, world.board, prefer_where_searched(world)).find_best(25)
    assert best.name == "default 25" and not world.board.has("start 4 25", [1])


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


def test_a_search_that_is_repeated_runs_nothing_again():
    world = World()
    first = make_search(world).find_best(20)
    world.runs.clear()
    assert make_search(world).find_best(20) == first and not world.runs


def test_no_search_costs_more_than_it_may():
    world = World()
    search = make_search(world, most_cost=40.0)
    search.find_best(25)
    assert search.task.plain_cost + world.board.cost <= 40.0


def test_after_the_time_only_the_confirmation_is_run():
    world = World()
    task = make_search(world).task
    Search(task, world.board, world.try_out, is_late=lambda: True).find_best(25)
    assert not any("to middle" in name for name in world.runs)


def test_rivals_compete_and_a_refused_one_is_left_out():
    rival, refused = (
        Candidate("seacache 25", "seacache", {"speedup": 2.0}),
        Candidate("l2p 25", "l2p", {"speedup": 2.0}),
    )
    world = World(score=lambda candidate, _: 50.0 if candidate is rival else 30.0)
    real = world.try_out

    def try_out(trials):
        real([(candidate, prompts) for candidate, prompts in trials if candidate is not refused])

    task = make_search(world, rivals=lambda _: [rival, refused]).task
    assert Search(task, world.board, try_out).find_best(25) == rival


def test_a_rival_that_is_slower_than_asked_for_does_not_win():
    slow = Candidate("seacache 25", "seacache", {"speedup": 1.9})
    world = World(score=lambda candidate, _: 50.0 if candidate is slow else 30.0)
    task = make_search(world, rivals=lambda _: [slow]).task
    assert Search(task, world.board, world.try_out).find_best(25) != slow


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
