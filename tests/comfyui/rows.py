"""What the comparison of caches has measured so far, one line a sampling."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

SAMPLERS = ("euler", "dpmpp_2m", "uni_pc", "res_multistep", "euler_ancestral", "heun")
ROWS = Path(__file__).parents[2] / "benchmarks" / "results" / "comfyui"
PROMPTS = 8  # as many as are compared, if nobody says otherwise


class Setting(NamedTuple):
    """What a user sets on the sampler."""

    sampler: str
    spacing: str = "simple"
    cfg: float = 5.0
    denoise: float = 1.0  # below 1 from a latent of another prompt, with fresh noise
    parts: int = 1  # samplers that the run is cut among; only the first adds noise

    def is_alike(self, other: "Setting") -> bool:
        """Whether they differ in guidance at most."""
        return self._replace(cfg=other.cfg) == other

    def list_conditions(self, steps: int) -> tuple[str, ...]:
        """What it has in common with other settings: by all that was varied at its kind of start.

        Example:
            >>> Setting("euler", denoise=0.5).list_conditions(10)
            ('denoise 0.5', 'denoise below 1')
        """
        if self.parts > 1:
            return (f"{self.parts} samplers in a row",)
        if self.denoise < 1:
            return f"denoise {self.denoise:g}", "denoise below 1"
        return (
            "whole",
            f"whole, {steps} steps",
            f"whole, cfg {self.cfg:g}",
            f"whole, {self.spacing}",
            f"whole, {self.sampler}",
        )

    @property
    def label(self) -> str:
        """A name for files."""
        usual = Setting(self.sampler)
        start = f"-from-{self.denoise:g}" * (self.denoise != 1) + f"-in-{self.parts}" * (self.parts != 1)
        return self.sampler if self == usual else f"{self.sampler}-{self.spacing}-{self.cfg:g}{start}"


@dataclass(frozen=True)
class Row:
    """One sampling: how often the transformer ran, and the decibels against the same sampler without a cache."""

    sampler: str
    prompt: int
    cache: str  # "plain", "navicache", "easycache" or "fewer steps"
    setting: float | None  # the speed-up, the threshold or the number of steps
    evaluations: float
    psnr: float | None
    spacing: str = "simple"
    cfg: float = 5.0
    denoise: float = 1.0
    parts: int = 1

    @property
    def made_with(self) -> Setting:
        """The sampler's settings."""
        return Setting(self.sampler, self.spacing, self.cfg, self.denoise, self.parts)


class Rows:
    """The file of rows, and the plain runs' frames beside it; of several folders the first is written to."""

    def __init__(self, folder: Path, *more: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / "rows.jsonl"
        self.by_setting: dict[Setting, list[Row]] = {}
        for path in (each / "rows.jsonl" for each in (folder, *more)):
            for line in path.read_text().splitlines() if path.exists() else ():
                self._keep(Row(**json.loads(line)))

    def all(self) -> list[Row]:
        """Every row, setting by setting."""
        return [row for rows in self.by_setting.values() for row in rows]

    def read(self, setting: Setting, prompt: int | None = None, cache: str | None = None) -> list[Row]:
        """Those that fit, in the order they were made."""
        rows = self.by_setting.get(setting, [])
        return [row for row in rows if prompt in (None, row.prompt) and cache in (None, row.cache)]

    def add(self, row: Row) -> Row:
        """Keep one."""
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(row)) + "\n")
        return self._keep(row)

    def _keep(self, row: Row) -> Row:
        self.by_setting.setdefault(row.made_with, []).append(row)
        return row

    def frames(self, setting: Setting, prompt: int) -> Path:
        """Where the frames of a plain run are."""
        return self.folder / f"{setting.label}-{prompt}.pt"


def scored_rows(*folders: Path) -> list[Row]:
    """Where the other cache was scored, over all numbers of steps."""
    parts = [part for folder in folders if folder.exists() for part in sorted(folder.iterdir()) if part.name.isdigit()]
    return [row for part in parts for row in Rows(part).all() if row.cache == "easycache" and row.psnr is not None]
