"""What to generate, as plain data that is checked before anything is loaded."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from navicache.integrations import Cache, enable
from navicache.integrations.policy_choice import CacheOptions, choose_policy, choose_policy_name
from navicache.models import MODES, UNKNOWN_MODEL, Quality, read_settings
from navicache.pocket.members import WAN, Member, find_member
from navicache.policies import build_policy
from navicache.policies.knob_checks import check_choice
from navicache.records import ShadowMode

POCKET = "pocket"
MODEL_HELP = "pocket, pocket:NAME of its family, a diffusers folder, or a hub id"
DEFAULT_FPS = 16  # what Wan was trained at
MOST_SEED = 2**63 - 1  # that PyTorch takes
OPTION_OF_ARGUMENT = {
    "negative_prompt": "negative_prompt",
    "image": "image",
    "num_inference_steps": "steps",
    "guidance_scale": "guidance",
    "num_frames": "frames",
    "height": "height",
    "width": "width",
}  # argument of a diffusers pipeline -> option of ours


@dataclass(frozen=True)
class ModelSource:
    """Which model to load, in which dtype and on which device."""

    model: str = POCKET
    dtype: str = "auto"
    device: str = "auto"
    offload: str = "none"
    shift: float | None = None  # of the scheduler; None keeps its own

    @property
    def is_embedded(self) -> bool:
        """Whether it is an embedded model."""
        return self.model.partition(":")[0] == POCKET

    @property
    def member(self) -> Member | None:
        """The embedded model, if it is one; `pocket` alone means wan.

        Example:
            >>> ModelSource("pocket:unet").member.kind, ModelSource("owner/name").member
            ('image', None)
        """
        return find_member(self.model.partition(":")[2] or WAN) if self.is_embedded else None

    @property
    def fps(self) -> int:
        """Frames per second of its videos."""
        return self.member.fps if self.member else DEFAULT_FPS

    def fill_arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the pipeline's call from options by our names; None takes an embedded model's own.

        Example:
            >>> ModelSource("owner/name").fill_arguments({"steps": 20, "frames": None})
            {'num_inference_steps': 20}
        """
        given = {name: options.get(option) for name, option in OPTION_OF_ARGUMENT.items()}
        usual = self.member.call if self.member else {}
        return {**usual, **{name: value for name, value in given.items() if value is not None}}


@dataclass(frozen=True)
class CacheSettings:
    """Arguments of `navicache.enable`; None leaves the choice to it."""

    policy: str | None = None
    mode: str | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shadow: ShadowMode | None = None
    calibration: Path | None = None  # file of `navicache calibrate`
    settings: Path | None = None  # file of `navicache tune`
    quality: Quality | None = None

    @property
    def label(self) -> str:
        """The label of a run with these options."""
        return "shadow" if self.shadow else "cached"

    def check(self) -> None:
        """Refuse options that are wrong for every model, before one is loaded."""
        if self.mode is not None:
            check_choice("mode", self.mode, MODES)
        if self.settings is not None or self.quality is not None:
            tuned = None if self.settings is None else read_settings(self.settings)
            named = {"knobs": dict(self.knobs), "settings": tuned, "quality": self.quality}
            choose_policy(CacheOptions(self.policy, self.mode, **named), UNKNOWN_MODEL)
            return
        build_policy(choose_policy_name(self.policy, self.knobs), **self.knobs)

    def enable(self, pipe: Any) -> Cache:
        """Enable the cache on a pipeline."""
        how: dict[str, Any] = {"shadow": self.shadow, "calibration": self.calibration}
        how |= {"settings": self.settings, "quality": self.quality}
        return enable(pipe, self.policy, self.mode, **how, **self.knobs)


@dataclass(frozen=True)
class GenerationJob:
    """Everything that one command generates."""

    source: ModelSource
    prompts: tuple[str, ...]
    arguments: Mapping[str, Any]  # of the pipeline's call, beside prompt and generator
    caching: CacheSettings
    out: Path
    seed: int = 0
    fps: int = DEFAULT_FPS
    compare: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text the model will read."""
        return (*self.prompts, self.arguments.get("negative_prompt", ""))

    def folder(self, number: int) -> Path:
        """The folder of a prompt's results: a folder for each if there are several prompts."""
        if len(self.prompts) == 1:
            return self.out
        return self.out / f"{number + 1:02d}-{slug(self.prompts[number])}"


def slug(text: str, longest: int = 48) -> str:
    """A text as a file name.

    Example:
        >>> slug("A red ball, moving left!"), slug("***")
        ('a-red-ball-moving-left', 'prompt')
    """
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words)[:longest].strip("-") or "prompt"


def check_call_arguments(kind: type, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that a pipeline class does not take, and classes that need more arguments."""
    parameters = inspect.signature(kind.__call__).parameters
    for name in arguments:
        if name not in parameters:
            near = (f"did you mean {other}?" for other in get_close_matches(name, parameters, n=1))
            option = OPTION_OF_ARGUMENT.get(name, "").replace("_", "-")
            advice = f"leave out --{option}" if option else next(near, "leave it out")
            raise ValueError(f"{kind.__name__} takes no {name}: {advice}")
    required = (p.name for p in parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD)
    if needs := [name for name in required if name not in ("self", "prompt", *arguments)]:
        way = "give --image FILE" if needs == ["image"] else "use navicache.enable(pipe) in Python for it"
        raise ValueError(f"{kind.__name__} also needs {', '.join(needs)}: {way}")
