"""A search for the best settings of a model, as the page asks for it and follows it. `navicache tune` does the work."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

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
LEAST_PROMPTS = 4  # two to search with, two to confirm


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

    def to_options(self, models: StudioModels) -> list[str]:
        """The options of `navicache tune`; the same search has the same folder, so it goes on where it was.

        Example:
            >>> " ".join(TuneRequest("pocket:unet", steps=20).to_options(StudioModels())[:8])
            '--model pocket:unet --dtype auto --device auto --offload none'
        """
        if models.locked:
            raise ValueError("this studio is locked: a search would keep the machine from the other visitors")
        source, call = self._check(models)
        about = ["--model", source.model, "--dtype", source.dtype, "--device", source.device]
        about += ["--offload", source.offload, *call]
        lines = [line.strip() for line in self.prompts.splitlines() if line.strip()]
        key = hashlib.sha256(json.dumps([about, lines]).encode()).hexdigest()[:8]
        folder = FOLDER / f"{slug(source.model)}-{key}"
        goal = ["--speedup", f"{self.speedup:g}"] if self.goal == SPEEDUP else ["--level", self.goal]
        time = ["--minutes", f"{self.minutes:g}"] if self.minutes else []
        given = ["--prompts", str(folder / PROMPTS)] if lines else []
        return [*about, *goal, *time, *given, "--out", str(folder)]

    def _check(self, models: StudioModels) -> tuple[ModelSource, list[str]]:
        check_choice("goal", self.goal, GOALS)
        if self.goal == SPEEDUP and self.speedup is None:
            raise ValueError("a speed-up is searched for, and none is given")
        source = models.get_allowed_source(self.model)
        models.limits_of(source).check_texts({"text of all prompts": self.prompts})
        models.limits_of(source).check_values({name: getattr(self, name) for name in LEAST_VALUES})
        count = len([line for line in self.prompts.splitlines() if line.strip()])
        if count < LEAST_PROMPTS and (count or source.member is None):
            raise ValueError(f"give {LEAST_PROMPTS} prompts or more, one a line: half search and half confirm")
        given = {name: getattr(self, name) for name in CALL}
        return source, [part for name, value in given.items() if value is not None for part in _option(name, value)]

    def write_prompts(self, options: Sequence[str]) -> None:
        """Write the prompts to the file that the options name."""
        if "--prompts" in options:
            file = Path(options[options.index("--prompts") + 1])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.prompts.strip() + "\n", encoding="utf-8")


def find_settings(model: str | None) -> str:
    """The newest settings file that a search of this studio has left for a model; empty if there is none."""
    files = FOLDER.glob(f"{slug(model or '')}-????????/{SETTINGS}")
    return str(max(files, key=lambda file: file.stat().st_mtime, default=""))


def _option(name: str, value: Any) -> tuple[str, str]:
    return f"--{name}", str(value)
