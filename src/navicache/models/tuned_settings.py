"""The settings file: `navicache tune` writes it, `enable(pipe, settings=FILE)` and every other door reads it."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from navicache.models.json_entries import freeze_list, read_json_entries
from navicache.records import open_atomic_file

SETTINGS_FORMAT = 1
Quality = Literal["lossless", "high", "fast"]
QUALITIES: tuple[Quality, ...] = get_args(Quality)
# LPIPS to the run of every step that a quality allows in the mean: 0.01 nobody sees, 0.05 is seen side by side, 0.15 is
# another take of the same scene.
LPIPS_OF_QUALITY: Mapping[Quality, float] = {"lossless": 0.01, "high": 0.05, "fast": 0.15}
SPEEDUP_OF_QUALITY: Mapping[Quality, float] = {"lossless": 1.5, "high": 2.0, "fast": 3.0}  # without a settings file
SAME_LEVEL = 2e-3  # noise levels closer than this are the same: dtypes round them
QUANTIZATION = "quantization_config"  # how the weights are stored, not another model


@dataclass(frozen=True)
class TunedRun:
    """The run that was measured; another run is not covered."""

    steps: int
    scheduler: str = ""  # class; empty where nothing tells
    noise_levels: tuple[float, ...] = ()  # before each step, and after the last
    guidance: float | None = None
    size: Mapping[str, int] = field(default_factory=dict[str, int])  # height, width, num_frames

    def explain_departure(
        self, steps: int | None, scheduler: str, noise_levels: Sequence[float] | None, guidance: float | None
    ) -> str:
        """How a run differs from this one; empty if it does not. What is not known does not differ.

        Example:
            >>> run = TunedRun(50, "UniPCMultistepScheduler", guidance=5.0)
            >>> run.explain_departure(30, "UniPCMultistepScheduler", None, 7.5)
            '30 steps, not 50; guidance 7.5, not 5.0'
            >>> run.explain_departure(50, "", None, None)
            ''
        """
        found: list[str] = []
        if steps is not None and steps != self.steps:
            found.append(f"{steps} steps, not {self.steps}")
        elif self.noise_levels and noise_levels and not _are_same(self.noise_levels, noise_levels):
            found.append("other noise levels (shift, spacing or sigmas of the sampler)")
        if scheduler and self.scheduler and scheduler != self.scheduler:
            found.append(f"{scheduler}, not {self.scheduler}")
        if guidance is not None and self.guidance is not None and not math.isclose(guidance, self.guidance):
            found.append(f"guidance {guidance}, not {self.guidance}")
        return "; ".join(found)


def _are_same(levels: Sequence[float], others: Sequence[float]) -> bool:
    return len(levels) == len(others) and all(
        abs(level - other) <= SAME_LEVEL for level, other in zip(levels, others, strict=True)
    )


@dataclass(frozen=True)
class TunedChoice:
    """One measured setting: what `enable` is given, and what it gave."""

    policy: str
    knobs: Mapping[str, Any]
    speedup: float  # steps over computed steps, in the mean of all prompts
    scores: Mapping[str, float] = field(default_factory=dict[str, float])  # psnr, ssim, lpips on prompts not chosen on


@dataclass(frozen=True)
class TunedSettings:
    """The settings found for one model and one kind of run."""

    model: str  # class of the transformer
    config: Mapping[str, Any]  # of the transformer, without names and versions
    run: TunedRun
    choice: TunedChoice
    qualities: Mapping[str, TunedChoice] = field(default_factory=dict[str, TunedChoice])  # what was measured to hold
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])  # prompts, target, versions, device

    def check_model(self, model: str, config: Mapping[str, Any], *, is_whole: bool = True) -> None:
        """Raise ValueError for another model; of a config that is not whole, only what both have is compared."""
        if model != self.model:
            raise ValueError(f"these settings were found on a {self.model}, and the model is a {model}: tune it too")
        own, theirs = strip_config(config), strip_config(self.config)
        names = sorted({*own, *theirs} if is_whole else {*own} & {*theirs})
        if differs := [name for name in names if own.get(name) != theirs.get(name)]:
            raise ValueError(
                f"these settings were found on another {model} ({', '.join(differs[:3])} differ): tune this one too"
            )

    def get_choice(self, quality: str | None = None) -> TunedChoice:
        """The setting of a quality, or the one that was searched for."""
        if quality is None:
            return self.choice
        if quality not in self.qualities:
            have = ", ".join(self.qualities) or "none"
            raise ValueError(f"no setting was measured to be {quality!r} on this model (known: {have}): tune for it")
        return self.qualities[quality]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON."""
        with open_atomic_file(path) as file:
            file.write((json.dumps({"format": SETTINGS_FORMAT, **asdict(self)}, indent=1) + "\n").encode())


def strip_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a model's configuration that say what it computes, as JSON has them.

    Example:
        >>> strip_config({"num_layers": 30, "patch_size": (1, 2, 2), "_name_or_path": "somewhere"})
        {'num_layers': 30, 'patch_size': [1, 2, 2]}
    """
    plain = {name: value for name, value in config.items() if not name.startswith("_") and name != QUANTIZATION}
    return json.loads(json.dumps(plain, default=str))


def read_settings(path: str | os.PathLike[str]) -> TunedSettings:
    """Read what `save` wrote; raise ValueError for anything else."""
    entries = read_json_entries(path, "settings")
    if entries.get("format", SETTINGS_FORMAT) != SETTINGS_FORMAT:
        theirs = entries["format"]
        raise ValueError(
            f"{os.fspath(path)} is of format {theirs}, and this version reads {SETTINGS_FORMAT}: tune again"
        )
    try:
        return _build_settings(entries)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{os.fspath(path)} is no settings file: make one with `navicache tune`") from error


def _build_settings(entries: Mapping[str, Any]) -> TunedSettings:
    run: dict[str, Any] = entries["run"]
    given: dict[str, Any] = entries["qualities"]
    qualities = {name: _read_choice(entry) for name, entry in given.items()}
    own = TunedRun(run["steps"], run["scheduler"], tuple(run["noise_levels"]), run["guidance"], run["size"])
    choice, config = _read_choice(entries["choice"]), dict(entries["config"])
    _check_types(entries["model"], own, [choice, *qualities.values()])
    return TunedSettings(entries["model"], config, own, choice, qualities, entries["about"])


def _check_types(model: str, run: TunedRun, choices: Sequence[TunedChoice]) -> None:
    """Raise TypeError for what JSON allows and a setting does not."""
    numbers = [run.steps, *run.noise_levels, run.guidance or 0, *(choice.speedup for choice in choices)]
    words = [model, run.scheduler, *(choice.policy for choice in choices)]
    if {*map(type, numbers)} - {int, float} or {*map(type, words)} - {str}:
        raise TypeError("a number or a name has another type")


def _read_choice(entry: Mapping[str, Any]) -> TunedChoice:
    given: dict[str, Any] = entry["knobs"]
    knobs: dict[str, Any] = {name: freeze_list(value) for name, value in given.items()}
    return TunedChoice(entry["policy"], knobs, entry["speedup"], entry["scores"])
