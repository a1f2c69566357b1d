"""What was measured of each candidate, prompt by prompt, and what it says."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Literal, NamedTuple

Metric = Literal["psnr", "ssim", "lpips"]
BEST_SCORES: Mapping[Metric, float] = {"psnr": 100.0, "ssim": 1.0, "lpips": 0.0}  # of a run that is equal
CAUTION = 0.5  # standard errors that a lead is counted less: the best of many candidates is partly luck
SURE = 1.28  # standard errors between a mean and the limit it must keep: nine times in ten it holds on other prompts


class RunScore(NamedTuple):
    """One run of one candidate: its quality, and how much of it was computed."""

    scores: Mapping[str, float]
    computed: int
    total: int

    @property
    def cost(self) -> float:
        """In runs of every step."""
        return self.computed / self.total


@dataclass(frozen=True)
class Candidate:
    """A setting to try."""

    name: str
    policy: str
    knobs: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    fitted: bool = False  # to the model first, on prompts of the search
    target: float | None = None  # speed-up that its threshold has to meet, which is found first

    @property
    def steps(self) -> tuple[int, ...] | None:
        """Its list of computed steps, if it is one."""
        return tuple(self.knobs["at"]) if "at" in self.knobs else None


@dataclass
class Scoreboard:
    """The runs of all candidates. A candidate that cannot be put on the model has a reason in place of runs."""

    metric: Metric = "psnr"
    runs: dict[tuple[str, int], RunScore] = field(default_factory=dict[tuple[str, int], RunScore])
    refused: dict[str, str] = field(default_factory=dict[str, str])

    def add_run(self, name: str, prompt: int, run: RunScore) -> None:
        """Add a run of a candidate on a prompt."""
        self.runs[name, prompt] = run

    def refuse(self, name: str, reason: str) -> None:
        """Remember that a candidate cannot be put on the model."""
        self.refused[name] = reason

    @property
    def cost(self) -> float:
        """Of all cached runs, in runs of every step."""
        return sum(run.cost for run in self.runs.values())

    def has(self, name: str, prompts: Iterable[int]) -> bool:
        """Whether the candidate was run on all of these prompts."""
        return all((name, prompt) in self.runs for prompt in prompts)

    def values(self, name: str, prompts: Iterable[int]) -> list[float]:
        """The scores of a candidate, where it was run."""
        runs = (self.runs.get((name, prompt)) for prompt in prompts)
        return [run.scores[self.metric] for run in runs if run is not None and self.metric in run.scores]

    def speedup(self, name: str, prompts: Iterable[int]) -> float:
        """Steps over computed steps, in the mean of the prompts."""
        costs = [self.runs[name, prompt].cost for prompt in prompts if (name, prompt) in self.runs]
        return 1 / fmean(costs)

    def lead(self, name: str, other: str, prompts: Sequence[int], caution: float = CAUTION) -> float:
        """How much better a candidate is than another on the same prompts, less some standard errors.

        Example:
            >>> board = Scoreboard(runs={(name, prompt): RunScore({"psnr": score}, 1, 2)
            ...     for name, scores in {"a": (30.0, 32.0), "b": (33.0, 33.0)}.items()
            ...     for prompt, score in enumerate(scores)})
            >>> board.lead("b", "a", [0, 1], caution=0), board.lead("b", "a", [0, 1])
            (2.0, 1.5)
        """
        sign = -1.0 if self.metric == "lpips" else 1.0
        pairs = [((name, prompt), (other, prompt)) for prompt in prompts]
        both = [pair for pair in pairs if all(key in self.runs for key in pair)]
        leads = [sign * (self._score(own) - self._score(theirs)) for own, theirs in both]
        return -math.inf if not leads else fmean(leads) - caution * _standard_error(leads)

    def keeps(self, name: str, prompts: Sequence[int], limit: float, surely: float = SURE) -> bool:
        """Whether the mean keeps the limit with some standard errors to spare."""
        values = self.values(name, prompts)
        margin = surely * _standard_error(values)
        mean = fmean(values) if values else math.nan
        return mean + margin <= limit if self.metric == "lpips" else mean - margin >= limit

    def _score(self, key: tuple[str, int]) -> float:
        return self.runs[key].scores[self.metric]


def _standard_error(values: Sequence[float]) -> float:
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
