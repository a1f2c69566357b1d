"""The search: rounds of candidates on a few prompts, the best on more, a confirmation on prompts nobody chose on.

A round depends on the scores of the rounds before and on nothing else, so a search that was interrupted comes the same
way again, over runs that are finished already.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from navicache.evaluation.tuning.moves import list_moves
from navicache.evaluation.tuning.scores import Candidate, Scoreboard
from navicache.evaluation.tuning.shapes import CostShape, list_shapes

DEFAULT = "default"
SURVIVORS = 5  # of the first round
MOST_MOVES = 4  # rounds of moves of the best list
AS_FAST = 0.98  # of the default's speed-up: a threshold meets a target roughly
MOVES_KEPT = 2  # of a round of moves, to run on all prompts of the search

Trial = tuple[Candidate, Sequence[int]]  # a candidate and the prompts to run it on
TryOut = Callable[[Sequence[Trial]], None]  # fills the scoreboard; what is there already is not run again


@dataclass(frozen=True)
class TuneTask:
    """What a search is given."""

    noise_levels: Sequence[float]  # before each step, and after the last
    search: Sequence[int]  # prompts to choose on
    confirm: Sequence[int]  # prompts to confirm on
    rivals: Callable[[int], Sequence[Candidate]] = lambda _: ()  # at a number of computed steps
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
        """The best candidate at this number of computed steps, confirmed; the default if none is surely better."""
        best = self.search_at(budget)
        usual = build_default(self.task.total, budget)
        if best.name == usual.name:
            self.try_out([(usual, self.task.confirm)])
            return usual
        self.try_out([(candidate, self.task.confirm) for candidate in (usual, best)])
        everywhere = [*self.task.search, *self.task.confirm]
        better = self.board.lead(best.name, usual.name, everywhere) > 0
        return best if better and self.board.lead(best.name, usual.name, self.task.confirm, caution=0) > 0 else usual

    def search_at(self, budget: int) -> Candidate:
        """The best candidate on the prompts of the search."""
        usual = build_default(self.task.total, budget)
        lists = list_shapes(self.task.noise_levels, budget)
        candidates = [build_list(f"{name} {budget}", steps) for name, steps in lists.items()]
        candidates += self.task.rivals(budget)
        self.try_out([(usual, self.task.search), *((each, self.task.few) for each in candidates)])
        finalists = self.rank(candidates, usual, self.task.few)[:SURVIVORS]
        best = self._run_finals(usual, finalists)
        for _ in range(MOST_MOVES):
            moved = self._try_moves(best, usual, budget)
            if moved is None or moved.name == best.name:
                break
            best = moved
        return best

    def rank(self, candidates: Sequence[Candidate], usual: Candidate, prompts: Sequence[int]) -> list[Candidate]:
        """Best first, those alone that could be run and are as fast as the default."""
        slowest = AS_FAST * self.board.speedup(usual.name, prompts)
        measured = [each for each in candidates if self.board.has(each.name, prompts)]
        measured = [each for each in measured if self.board.speedup(each.name, prompts) >= slowest]
        return sorted(measured, key=lambda each: -self.board.lead(each.name, usual.name, prompts))

    def _run_finals(self, usual: Candidate, finalists: Sequence[Candidate]) -> Candidate:
        self.try_out([(each, self.task.search) for each in finalists])
        return self.rank([usual, *finalists], usual, self.task.search)[0]

    def _try_moves(self, best: Candidate, usual: Candidate, budget: int) -> Candidate | None:
        """The best of the neighbours of a list and of itself; None where there are none or the budget is spent."""
        steps = best.steps or build_usual_list(self.task.noise_levels, budget, best)
        if steps is None or self.is_late():
            return None
        moves = list_moves(steps, self.task.total)
        looks = len(moves) * len(self.task.few) + MOVES_KEPT * len(self.task.search) + 2 * len(self.task.confirm)
        share = budget / self.task.total
        if self.task.plain_cost + self.board.cost + looks * share > self.task.most_cost:
            return None
        neighbours = [build_list(f"{best.name}, {name}", moved) for name, moved in moves.items()]
        self.try_out([(each, self.task.few) for each in neighbours])
        return self._run_finals(usual, [best, *self.rank(neighbours, usual, self.task.few)[:MOVES_KEPT]])


def build_default(total: int, budget: int) -> Candidate:
    """The default policy at this number of computed steps."""
    return Candidate(f"{DEFAULT} {budget}", "inertial", {"speedup": round(total / budget, 6)})


def build_list(name: str, steps: Sequence[int]) -> Candidate:
    """A list of computed steps, with the predictor of the default."""
    return Candidate(name, "schedule", {"at": tuple(steps)})


def build_usual_list(levels: Sequence[float], budget: int, candidate: Candidate) -> tuple[int, ...] | None:
    """The list of the default; None for another policy."""
    return CostShape().build(levels, budget) if candidate.policy == "inertial" else None
