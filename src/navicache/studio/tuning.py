"""A search for the best settings of a model, as the page asks for it and follows it. `navicache tune` does the work."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from navicache.evaluation.tuning.search import LEAST_PROMPTS
from navicache.generation.job import ModelSource, slug
from navicache.models import QUALITIES
from navicache.policies.knob_checks import check_choice
from navicache.studio.limits import LEAST_VALUES
from navicache.studio.models import StudioModels
from navicache.studio.request import SPEEDUP

FOLDER = Path("outputs", "studio")  # of all searches, where the studio was started
SETTINGS, PROMPTS = "settings.json", "prompts.txt"
GOALS = (SPEEDUP, *QUALITIES)
CALL = ("seed", "steps", "guidance", "frames", "height", "width")


class TuneProgress(NamedTuple):
    """How far a search is."""

    doing: str
    cost: float = 0.0  # in runs without a cache
    most: float = 0.0
    seconds: float = 0.0
    seconds_left: float | None = None  # at most
    best: tuple[tuple[str, str, str], ...] = ()  # candidate, speed and score, the best first


class TuneFound(NamedTuple):
    """What a search found."""

    choice: str
    figures: tuple[tuple[str, str], ...]  # value and what it is
    table: tuple[str, ...]  # of the candidates
    refused: tuple[str, ...]  # candidates that cannot be put on this model
    settings: Path
    report: Path


TellProgress = Callable[[TuneProgress], None]  # may raise to stop the search
Tuner = Callable[[Sequence[str], TellProgress], TuneFound]  # of the options of `navicache tune`


@dataclass(frozen=True)
class TuneRequest:
    """The values of the page's fields, in their order; None means the model's default."""

    model: str | None
    goal: str = SPEEDUP
    speedup: float | None = 2.0
    prompts: str = ""  # one a line; an embedded model has its own
    minutes: float | None = None
    seed: int | None = 0
    steps: int | None = None
    guidance: float | None = None
    frames: int | None = None
    height: int | None = None
    width: int | None = None

    def prepare(self, models: StudioModels) -> list[str]:
        """Write the prompts, and return the options of `navicache tune`.

        The same search has the same folder, so it goes on where it was.

        Example:
            >>> " ".join(TuneRequest("pocket:unet", steps=20).prepare(StudioModels())[:8])
            '--model pocket:unet --dtype auto --device auto --offload none'
        """
        if models.locked:
            raise ValueError("this studio is locked: a search would keep the machine from the other visitors")
        source, lines = self._check(models), self._list_prompts()
        about = ["--model", source.model, "--dtype", source.dtype, "--device", source.device]
        about += ["--offload", source.offload]
        for name in CALL:
            value = getattr(self, name)
            about += [] if value is None else [f"--{name}", str(value)]
        key = hashlib.sha256(json.dumps([about, lines]).encode()).hexdigest()[:8]
        folder = FOLDER / f"{slug(source.model)}-{key}"
        goal = ["--speedup", f"{self.speedup:g}"] if self.goal == SPEEDUP else ["--level", self.goal]
        time = ["--minutes", f"{self.minutes:g}"] if self.minutes else []
        given = ["--prompts", str(_write_prompts(lines, folder))] if lines else []
        return [*about, *goal, *time, *given, "--out", str(folder)]

    def _list_prompts(self) -> list[str]:
        return [line.strip() for line in self.prompts.splitlines() if line.strip()]

    def _check(self, models: StudioModels) -> ModelSource:
        check_choice("goal", self.goal, GOALS)
        if self.goal == SPEEDUP and self.speedup is None:
            raise ValueError("a speed-up is searched for, and none is given")
        source = models.get_allowed_source(self.model)
        limits, count = models.limits_of(source), len(self._list_prompts())
        limits.check_texts({"text of all prompts": self.prompts})
        limits.check_values({name: getattr(self, name) for name in LEAST_VALUES})
        limits.check_pixels(source.fill_arguments(vars(self)))
        if count < LEAST_PROMPTS and (count or source.member is None):
            raise ValueError(f"give {LEAST_PROMPTS} prompts or more, one a line: half search and half confirm")
        return source


def find_settings(model: str | None) -> str:
    """The newest settings file that a search of this studio has left for a model; empty if there is none."""
    files = FOLDER.glob(f"{slug(model or '')}-????????/{SETTINGS}")
    return str(max(files, key=lambda file: file.stat().st_mtime, default=""))


def _write_prompts(lines: Sequence[str], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / PROMPTS
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return file
