"""The search for the best setting at a speed-up, over a made-up model whose best one is known."""

from tests.support.made_up_models import LEVELS, World, make_search

from navicache.evaluation.tuning.scores import Candidate, RunScore
from navicache.evaluation.tuning.search import Search, TuneTask
from navicache.evaluation.tuning.shapes import SHAPES


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
