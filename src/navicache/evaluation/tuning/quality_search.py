"""The fastest setting that keeps a quality: bisection over the number of computed steps, first of the default."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from navicache.evaluation.tuning.scores import SURE, Candidate
from navicache.evaluation.tuning.search import FINALISTS, Search, build_default, build_list
from navicache.evaluation.tuning.shapes import SHAPES

LEAST_SHARE = 8  # no fewer than one step in eight is computed
FASTER = 0.85  # of the computed steps: the next stage to try
MOST_STAGES = 3  # of going faster


@dataclass(frozen=True)
class QualitySearch:
    """Finds the fewest computed steps with which a limit is kept."""

    search: Search
    limit: float

    def find_fastest(self) -> Candidate:
        """The fastest candidate that keeps the limit, confirmed on prompts nobody chose on."""
        task = self.search.task
        least = max(2, task.total // LEAST_SHARE)
        budget = self._bisect(self._build_usual, least, task.search, surely=0.0)  # the confirmation is strict
        best = [self._build_usual(budget)]
        shape: Callable[[int], Candidate] = self._build_usual
        for _ in range(MOST_STAGES):
            fewer = round(FASTER * budget)
            if fewer < 2 or fewer == budget or self.search.is_late() or self._is_spent(fewer):
                break
            found = [each for each in self.search.search_at(fewer)[:FINALISTS] if self._keeps(each, task.search)]
            if not found:
                break
            best, budget, shape = found, fewer, self._shape_of(found[0]) or shape
        return self._confirm(best, budget, shape)

    def _bisect(
        self, build: Callable[[int], Candidate], fails: int, prompts: Sequence[int], surely: float = SURE
    ) -> int:
        """The smallest number of computed steps that keeps the limit, to one part in twenty."""
        keeps = self.search.task.total
        while keeps - fails > max(1, keeps // 20):
            middle = (fails + keeps) // 2
            self.search.try_out([(build(middle), prompts)])
            fails, keeps = (fails, middle) if self._keeps(build(middle), prompts, surely) else (middle, keeps)
        return keeps

    def _confirm(self, best: Sequence[Candidate], budget: int, build: Callable[[int], Candidate]) -> Candidate:
        """The first that keeps the limit on all prompts; where none does, more is computed."""
        task = self.search.task
        everywhere = [*task.search, *task.confirm]
        for each in best:
            self.search.try_out([(each, everywhere)])
            if self._keeps(each, everywhere):
                return each
        slower = self._bisect(build, budget, everywhere)
        found = build(slower) if slower < task.total else build_default(task.total, task.total)
        self.search.try_out([(found, everywhere)])
        return found

    def _keeps(self, candidate: Candidate, prompts: Sequence[int], surely: float = SURE) -> bool:
        board = self.search.board
        return board.has(candidate.name, prompts) and board.keeps(candidate.name, prompts, self.limit, surely)

    def _build_usual(self, budget: int) -> Candidate:
        return build_default(self.search.task.total, budget)

    def _shape_of(self, candidate: Candidate) -> Callable[[int], Candidate] | None:
        """How the candidate's list is built with more computed steps; None for one that was moved by hand."""
        name = candidate.name.rpartition(" ")[0]
        if name not in SHAPES:
            return None
        levels = self.search.task.noise_levels
        return lambda budget: build_list(f"{name} {budget}", SHAPES[name].build(levels, budget))

    def _is_spent(self, budget: int) -> bool:
        task = self.search.task
        looks = (len(SHAPES) + 1) * len(task.few) + 2 * len(task.search) + 2 * len(task.confirm)
        return not self.search.can_pay(looks, budget)
