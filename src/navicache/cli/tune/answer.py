"""What a search found: the settings file, the page and the shared row."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch

from navicache.cli.tune.job import TuneJob
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.tuning.scores import Candidate, Scoreboard
from navicache.evaluation.tuning.search import TuneTask, build_default
from navicache.models import LPIPS_OF_QUALITY, TunedChoice, TunedRun, TunedSettings
from navicache.records import open_atomic_file
from navicache.version import __version__

if TYPE_CHECKING:
    from navicache.report.page_model import HeadlineTile

SETTINGS, PAGE = "settings.json", "report.html"
SIZE = ("height", "width", "num_frames")
MADE_BY = "Made by `navicache tune`."
SCORES = {"psnr": ".2f", "ssim": ".4f", "lpips": ".4f"}


@dataclass(frozen=True)
class Answer:
    """The chosen candidate, and everything it was chosen from."""

    best: Candidate
    task: TuneTask
    board: Scoreboard
    candidates: Mapping[str, Candidate]
    facts: Mapping[str, Any]
    plain: Sequence[Row]

    @property
    def usual(self) -> Candidate:
        """The default at the same number of computed steps."""
        run = self.board.runs[self.best.name, self.task.confirm[0]]
        return build_default(run.total, round(run.total / self.board.speedup(self.best.name, self.task.confirm)))

    @property
    def lead(self) -> float | None:
        """How much better the choice is than the default on the prompts of the confirmation; None for the default."""
        best, usual = self.best.name, self.usual.name
        if best == usual or not self.board.has(usual, self.task.confirm):
            return None
        return self.board.lead(best, usual, self.task.confirm, caution=0)

    @property
    def speedup(self) -> float:
        """Of the choice, on the prompts of the confirmation."""
        return self.board.speedup(self.best.name, self.task.confirm)

    def scores(self, name: str, prompts: Sequence[int]) -> dict[str, float]:
        """The mean of each score over these prompts."""
        runs = [self.board.runs[name, prompt] for prompt in prompts if (name, prompt) in self.board.runs]
        known = [metric for metric in SCORES if runs and all(metric in run.scores for run in runs)]
        return {metric: round(fmean(run.scores[metric] for run in runs), 5) for metric in known}

    def choice(self, candidate: Candidate) -> TunedChoice:
        """The candidate as the settings file has it, with its scores on the prompts of the confirmation."""
        prompts = [*self.task.search, *self.task.confirm]
        speedup = round(self.board.speedup(candidate.name, prompts), 4)
        knobs = {name: list(value) if isinstance(value, tuple) else value for name, value in candidate.knobs.items()}
        return TunedChoice(candidate.policy, knobs, speedup, self.scores(candidate.name, self.task.confirm))

    def qualities(self) -> dict[str, TunedChoice]:
        """For each word the fastest candidate that was confirmed to keep its LPIPS."""
        everywhere = [*self.task.search, *self.task.confirm]
        board = Scoreboard("lpips", self.board.runs)
        runs = len(everywhere)
        known = [each for each in self.candidates.values() if len(board.values(each.name, everywhere)) == runs]
        found: dict[str, TunedChoice] = {}
        for word, limit in LPIPS_OF_QUALITY.items():
            kept = [each for each in known if board.keeps(each.name, everywhere, limit)]
            if kept:
                found[word] = self.choice(max(kept, key=lambda each: board.speedup(each.name, everywhere)))
        return found


def write_answer(job: TuneJob, answer: Answer, share: Path | None) -> Path:
    """Write the settings file, the page with every candidate, and the row to share."""
    settings = build_settings(job, answer)
    path = job.out / SETTINGS
    settings.save(path)
    write_page(job, answer)
    if share is not None:
        with open_atomic_file(share) as file:
            file.write((json.dumps(build_shared_row(job, settings, answer), indent=1) + "\n").encode())
    return path


def build_settings(job: TuneJob, answer: Answer) -> TunedSettings:
    """The settings file's content."""
    facts, call = answer.facts, {**job.model.call, **job.condition.call}
    size = {name: call[name] for name in SIZE if name in call}
    guidance = facts["guidance"] if facts["guidance"] is not None else call.get("guidance_scale")
    run = TunedRun(answer.task.total, facts["scheduler"], tuple(facts["noise_levels"]), guidance, size)
    about = {
        "target": str(job.target),
        "prompts": {"searched": len(answer.task.search), "confirmed": len(answer.task.confirm)},
        "candidate": answer.best.name,
        "candidates": len(answer.candidates),
        "default": answer.scores(answer.usual.name, answer.task.confirm),
        "device": answer.plain[0]["machine"]["name"],
        "dtype": job.source.dtype,
        "versions": {"navicache": __version__, "torch": torch.__version__, "python": platform.python_version()},
    }
    return TunedSettings(facts["model"], facts["config"], run, answer.choice(answer.best), answer.qualities(), about)


def write_page(job: TuneJob, answer: Answer) -> None:
    """The benchmark's page over all runs of the search, with the choice and its figures at the top."""
    from navicache.cli.report.page import PageOptions, build_page
    from navicache.cli.report.results import read_results
    from navicache.report.bench_page import save_page

    results = read_results([job.out])
    look = PageOptions(f"Tuned for {job.target}", players=2, choice=answer.best.name, videos="auto", folder=job.out)
    head = {"headline": write_headline(answer), "tiles": build_tiles(answer), "footer": (MADE_BY,)}
    save_page(replace(build_page(results, look), **head), job.out / PAGE)


def write_headline(answer: Answer) -> str:
    """The choice and its own figures."""
    scores = format_scores(answer.scores(answer.best.name, answer.task.confirm))
    return f"{answer.best.name}: {answer.speedup:.2f} steps a computed step, {scores}"


def build_tiles(answer: Answer) -> "tuple[HeadlineTile, ...]":
    """The figures of the choice on the prompts of the confirmation."""
    from navicache.report.page_model import HeadlineTile

    run, confirmed = answer.board.runs[answer.best.name, answer.task.confirm[0]], len(answer.task.confirm)
    scores = answer.scores(answer.best.name, answer.task.confirm)
    tiles = [HeadlineTile(f"{answer.speedup:.2f}×", "fewer computed steps", f"{run.computed} of {run.total}")]
    tiles += [
        HeadlineTile(f"{score:{SCORES[name]}}", name.upper(), f"on {confirmed} prompts of the confirmation")
        for name, score in scores.items()
    ]
    if answer.lead is not None:
        words = f"{answer.board.metric.upper()} better than the default"
        tiles.append(HeadlineTile(f"{answer.lead:+{SCORES[answer.board.metric]}}", words, "at the same computed steps"))
    return tuple(tiles)


def format_scores(scores: Mapping[str, float]) -> str:
    """The scores in a sentence."""
    return ", ".join(f"{name.upper()} {value:{SCORES[name]}}" for name, value in scores.items())


def build_shared_row(job: TuneJob, settings: TunedSettings, answer: Answer) -> dict[str, Any]:
    """One row about the search for others: no prompt, no path, no name of a person."""
    model = Path(job.source.model).name if Path(job.source.model).exists() else job.source.model
    return {
        "model": model,
        "transformer": settings.model,
        "size": dict(settings.run.size),
        "steps": settings.run.steps,
        "sampler": settings.run.scheduler,
        "guidance": settings.run.guidance,
        "card": settings.about["device"],
        "target": settings.about["target"],
        "policy": settings.choice.policy,
        "speedup": settings.choice.speedup,
        **settings.choice.scores,
        "default": settings.about["default"],
        "prompts": len(job.prompts),
        "version": __version__,
    }
