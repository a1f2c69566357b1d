"""The search: rounds of candidates on a few prompts, the best on more, a confirmation on prompts nobody chose on.

A round depends on the scores of the rounds before and on nothing else, so a search that was interrupted comes the same
way again, over runs that are finished already.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from navicache.evaluation.tuning.moves import list_moves
from navicache.evaluation.tuning.scores import Candidate, Scoreboard
from navicache.evaluation.tuning.shapes import CostShape, list_shapes
from navicache.policies.schedule_forms import PLAIN, ScheduleForm

DEFAULT = "default"
SURVIVORS = 5  # of the first round
MOST_MOVES = 4  # rounds of moves of the best list
AS_FAST = 0.98  # of the default's speed-up: a threshold meets a target roughly
MOVES_KEPT = 2  # of a round of moves, to run on all prompts of the search
FINALISTS = 2  # to confirm
LEAST_PROMPTS = 4  # two to search with, two to confirm

Trial = tuple[Candidate, Sequence[int]]  # a candidate and the prompts to run it on
TryOut = Callable[[Sequence[Trial]], None]  # fills the scoreboard; what is there already is not run again


@dataclass(frozen=True)
class TuneTask:
    """What a search is given."""

    noise_levels: Sequence[float]  # before each step, and after the last
    search: Sequence[int]  # prompts to choose on
    confirm: Sequence[int]  # prompts to confirm on
    rivals: Callable[[int], Sequence[Candidate]] = lambda _: ()  # at a number of computed steps
    form: ScheduleForm = PLAIN  # of the default's schedule
    most_cost: float = float("inf")  # in runs of every step, the plain runs among them

    @property
    def total(self) -> int:
        """Steps of a run."""
        return len(self.noise_levels) - 1

    @property
    def few(self) -> Sequence[int]:
        """The prompts of a first look."""
        return self.search[: max(2, -(-len(self.search) // 2))]

    @property
    def plain_cost(self) -> float:
        """Of the runs without a cache."""
        return len(self.search) + len(self.confirm)


@dataclass(frozen=True)
class Search:
    """Tries candidates out, and chooses."""

    task: TuneTask
    board: Scoreboard
    try_out: TryOut
    is_late: Callable[[], bool] = lambda: False  # the time is over: only the confirmation is left

    def find_best(self, budget: int) -> Candidate:
        """The best candidate at this number of computed steps, confirmed; the default if none is surely better.

        The two best of the search are confirmed, if the budget has room for the second.
        """
        usual = build_default(self.task.total, budget)
        ahead = itertools.takewhile(lambda each: each.name != usual.name, self.search_at(budget))
        finalists = list(itertools.islice(ahead, FINALISTS))
        self.try_out([(candidate, self.task.confirm) for candidate in (usual, *finalists[:1])])
        if self.can_pay(len(self.task.confirm), budget):
            self.try_out([(candidate, self.task.confirm) for candidate in finalists[1:]])
        return self._choose_confirmed(usual, finalists)

    def _choose_confirmed(self, usual: Candidate, finalists: Sequence[Candidate]) -> Candidate:
        """The best finalist on all prompts that is ahead of the default there, and on those of the confirmation."""
        everywhere = [*self.task.search, *self.task.confirm]
        leads = {
            each: self.board.lead(each.name, usual.name, everywhere)
            for each in finalists
            if self.board.has(each.name, everywhere)
            and self.board.lead(each.name, usual.name, self.task.confirm, caution=0) > 0
        }
        best = max(leads, key=lambda each: leads[each], default=usual)
        return best if leads.get(best, 0.0) > 0 else usual

    def can_pay(self, runs: float, budget: int) -> bool:
        """Whether the search may cost so many more runs with this number of computed steps."""
        spent = self.task.plain_cost + self.board.cost
        return spent + runs * budget / self.task.total <= self.task.most_cost

    def search_at(self, budget: int) -> list[Candidate]:
        """The candidates that were run on all prompts of the search, best first; the default is among them."""
        usual = build_default(self.task.total, budget)
        lists = list_shapes(self.task.noise_levels, budget, self.task.form)
        candidates = [build_list(f"{name} {budget}", steps) for name, steps in lists.items()]
        candidates += self.task.rivals(budget)
        self.try_out([(usual, self.task.search), *((each, self.task.few) for each in candidates)])
        finalists = self.rank(candidates, usual, self.task.few)[:SURVIVORS]
        ranked = self._run_finals(usual, finalists)
        for _ in range(MOST_MOVES):
            best = ranked[0]
            ranked = self._try_moves(ranked, usual, budget) or ranked
            if ranked[0].name == best.name:
                break
        return ranked

    def rank(self, candidates: Sequence[Candidate], usual: Candidate, prompts: Sequence[int]) -> list[Candidate]:
        """Best first, those alone that could be run and are as fast as the default."""
        slowest = AS_FAST * self.board.speedup(usual.name, prompts)
        measured = [each for each in candidates if self.board.has(each.name, prompts)]
        measured = [each for each in measured if self.board.speedup(each.name, prompts) >= slowest]
        return sorted(measured, key=lambda each: -self.board.lead(each.name, usual.name, prompts))

    def _run_finals(self, usual: Candidate, finalists: Sequence[Candidate]) -> list[Candidate]:
        self.try_out([(each, self.task.search) for each in finalists])
        known = {each.name: each for each in (usual, *finalists)}
        return self.rank(list(known.values()), usual, self.task.search)

    def _try_moves(self, ranked: Sequence[Candidate], usual: Candidate, budget: int) -> list[Candidate] | None:
        """The ranking with the neighbours of the best list; None where there are none or the budget is spent."""
        best = ranked[0]
        steps = best.steps or build_usual_list(self.task, budget, best)
        if steps is None or self.is_late():
            return None
        moves = list_moves(steps, self.task.total)
        looks = len(moves) * len(self.task.few) + MOVES_KEPT * len(self.task.search) + 3 * len(self.task.confirm)
        if not self.can_pay(looks, budget):
            return None
        neighbours = [build_list(f"{best.name}, {name}", moved) for name, moved in moves.items()]
        self.try_out([(each, self.task.few) for each in neighbours])
        return self._run_finals(usual, [*ranked, *self.rank(neighbours, usual, self.task.few)[:MOVES_KEPT]])


def build_default(total: int, budget: int) -> Candidate:
    """The default policy at this number of computed steps."""
    return Candidate(f"{DEFAULT} {budget}", "inertial", {"speedup": round(total / budget, 6)})


def build_list(name: str, steps: Sequence[int]) -> Candidate:
    """A list of computed steps, with the predictor of the default."""
    return Candidate(name, "schedule", {"at": tuple(steps)})


def build_usual_list(task: TuneTask, budget: int, candidate: Candidate) -> tuple[int, ...] | None:
    """The list of the default; None for another policy."""
    return CostShape(task.form).build(task.noise_levels, budget) if candidate.policy == "inertial" else None
