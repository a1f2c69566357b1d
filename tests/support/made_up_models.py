"""A made-up model whose best setting is known, for searches over settings."""

import random
from collections import Counter

from navicache.evaluation.tuning.scores import RunScore, Scoreboard
from navicache.evaluation.tuning.search import Search, TuneTask, build_usual_list
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
        steps = candidate.steps or build_usual_list(TuneTask(LEVELS, (), ()), budget, candidate) or ()
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
