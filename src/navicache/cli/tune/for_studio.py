"""The search of `navicache tune` behind the studio's button: the same options, with its progress told."""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Never

from navicache.cli.tune.answer import PAGE, SCORES, Answer
from navicache.cli.tune.answer_text import describe_choice, format_candidates, list_refused
from navicache.cli.tune.command import add_subcommand_options
from navicache.cli.tune.job import read_tune_job
from navicache.cli.tune.run import tune
from navicache.cli.tune.runner import TrialRunner
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.tuning.scores import Scoreboard
from navicache.studio.tuning import TellProgress, TuneFound, TuneProgress

SHOWN = 6  # candidates while the search goes on


class OptionParser(argparse.ArgumentParser):
    """Raises what it would print before it ends the process."""

    def error(self, message: str) -> Never:
        """Raise the message."""
        raise ValueError(message)


def tune_for_studio(options: Sequence[str], tell: TellProgress) -> TuneFound:
    """Search, and return what was found; the files are where the options say."""
    parser = OptionParser(add_help=False)
    add_subcommand_options(parser)
    known = parser.parse_args(list(options))
    tell(TuneProgress(f"loading {known.model}"))
    job = read_tune_job(known)
    answer, path = tune(job, known, SearchTeller(tell, known.effort * len(job.prompts), known.minutes))
    table, refused = tuple(format_candidates(answer)), tuple(list_refused(answer))
    return TuneFound(describe_choice(answer), list_figures(answer), table, refused, path, job.out / PAGE)


@dataclass
class SearchTeller:
    """Tells the page how far the search is, after each of its runs."""

    tell: TellProgress
    most: float
    minutes: float | None = None
    began: float = field(default_factory=time.monotonic)
    first_cost: float = 0.0  # of the runs that were there already

    def __call__(self, runner: TrialRunner, row: Row | None) -> None:
        """Tell of the newest run."""
        cost, seconds = runner.cost, time.monotonic() - self.began
        if row is None:
            self.first_cost = cost
        doing = "loading" if row is None else row["setting"]
        left = self._estimate(cost - self.first_cost, cost, seconds)
        self.tell(TuneProgress(doing, min(cost, self.most), self.most, seconds, left, rank_candidates(runner.board)))

    def _estimate(self, spent: float, cost: float, seconds: float) -> float | None:
        if not spent:
            return None
        by_cost = max(0.0, self.most - cost) * seconds / spent
        return by_cost if self.minutes is None else min(by_cost, max(0.0, 60 * self.minutes - seconds))


def rank_candidates(board: Scoreboard) -> tuple[tuple[str, str, str], ...]:
    """The candidates with the best mean score, with their speed."""
    names = {name for name, _ in board.runs}
    prompts = sorted({prompt for _, prompt in board.runs})
    means = {name: fmean(values) for name in names if (values := board.values(name, prompts))}
    order = sorted(means, key=lambda name: means[name], reverse=board.metric != "lpips")[:SHOWN]
    return tuple(
        (name, f"{board.speedup(name, prompts):.2f}x", f"{board.metric.upper()} {means[name]:{SCORES[board.metric]}}")
        for name in order
    )


def list_figures(answer: Answer) -> tuple[tuple[str, str], ...]:
    """The figures of the choice on the prompts of the confirmation."""
    scores = answer.scores(answer.best.name, answer.task.confirm)
    figures = [(f"{answer.speedup:.2f}x", "fewer computed steps")]
    figures += [(f"{score:{SCORES[name]}}", name.upper()) for name, score in scores.items()]
    if answer.lead is not None:
        figures.append(
            (f"{answer.lead:+{SCORES[answer.board.metric]}}", f"{answer.board.metric.upper()} to the default")
        )
    return tuple(figures)
