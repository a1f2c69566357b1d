"""`NaviCacheConfig`: the settings of `enable` as a config for diffusers' `enable_cache`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import MODES, Quality, find_model, read_settings
from navicache.policies import Policy


@dataclass(frozen=True)
class NaviCacheConfig:
    """A cache config for `transformer.enable_cache`, checked when it is created.

    `enable_cache` checks what depends on the model, such as a mode without a preset, before the first step.

    Example:
        >>> NaviCacheConfig(speedup=2.5).to_enable_arguments()["speedup"]
        2.5
        >>> NaviCacheConfig("easycache", mode="fast", speedup=2.0)
        Traceback (most recent call last):
        ValueError: mode and speedup exclude each other: give one of them
    """

    policy: str | Policy | None = None  # a name or a policy; None as in `navicache.enable`
    mode: str | None = None  # "fast", "mid" or "slow"
    speedup: float | None = None
    max_error: float | None = None
    steps: int | None = None  # number of steps of a run, if the pipeline does not provide it
    knobs: Mapping[str, Any] = field(default_factory=dict)
    settings: str | os.PathLike[str] | None = None  # file of `navicache tune`, in place of the fields above but `steps`
    quality: Quality | None = None  # of the settings file, or alone

    def __post_init__(self) -> None:
        """Raise a ValueError for settings that fit no model."""
        object.__setattr__(self, "knobs", dict(self.knobs))  # a copy: the caller's may change
        self._check_targets()
        if self.mode not in (None, *MODES):
            raise ValueError(f"unknown mode {self.mode!r}; known: {', '.join(MODES)}")
        if self.steps is not None and not (type(self.steps) is int and self.steps > 0):
            raise ValueError(f"steps must be the number of steps of a run, got {self.steps!r}")
        try:
            self._check_policy()
        except TypeError as error:
            raise ValueError(str(error)) from error

    def to_enable_arguments(self) -> dict[str, Any]:
        """Return the same settings as arguments of `navicache.enable`."""
        tuned = {"settings": self.settings, "quality": self.quality}
        named = {name: value for name, value in tuned.items() if value is not None}
        return {"policy": self.policy, "mode": self.mode, "steps": self.steps, **named, **self._merge_knobs()}

    def _merge_knobs(self) -> dict[str, Any]:
        targets = {"speedup": self.speedup, "max_error": self.max_error}
        return {**self.knobs, **{name: value for name, value in targets.items() if value is not None}}

    def _check_targets(self) -> None:
        targets = {"mode": self.mode, "speedup": self.speedup, "max_error": self.max_error}
        given = [name for name, value in targets.items() if value is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other: give one of them")
        for name in targets:
            if name in self.knobs:
                raise ValueError(
                    f"{name} is not a knob: set it directly, as in NaviCacheConfig({name}={self.knobs[name]!r})"
                )

    def _check_policy(self) -> None:
        mode = self.mode if not isinstance(self.policy, str | None) else None  # with a name it depends on the model
        tuned = None if self.settings is None else read_settings(self.settings)
        options = CacheOptions(self.policy, mode, knobs=self._merge_knobs(), settings=tuned, quality=self.quality)
        choose_policy(options, find_model(""))
