"""The settings of a model as data; every number names its source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from navicache.models.call_spec import CallSpec

MODES = ("fast", "mid", "slow")
KnobValue = float | str | bool | tuple[float, ...]


@dataclass(frozen=True)
class Preset:
    """Knobs of a policy for one mode, and where they come from."""

    knobs: Mapping[str, KnobValue]
    source: str
    inferred: bool = False  # not published, but inferred from the nearest published setting


@dataclass(frozen=True)
class ModelSpec:
    """How to recognise a model, how it is called, and the presets of its policies."""

    name: str
    transformer: str  # class name; "" matches any
    # Values that identify it among models of its class.
    config: Mapping[str, object] = field(default_factory=dict[str, object])
    experts: int | None = None  # how many transformers its pipeline has
    call: CallSpec = field(default_factory=CallSpec)
    presets: Mapping[str, Mapping[str, Preset]] = field(default_factory=dict[str, Mapping[str, Preset]])
    note: str = ""  # a note shown to the user

    def matches(self, transformer: str, config: Mapping[str, Any], experts: int) -> bool:
        """Whether class, configuration and number of experts are this model's."""
        return (
            self.transformer in ("", transformer)
            and self.experts in (None, experts)
            and all(config.get(key) == value for key, value in self.config.items())
        )


def find_preset(spec: ModelSpec, policy: str, mode: str) -> Preset:
    """Return the preset of a policy and mode; without presets, "mid" is the policy's defaults."""
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; known: {', '.join(MODES)}")
    modes = spec.presets.get(policy, {"mid": Preset({}, "defaults of the policy", inferred=True)})
    if mode not in modes:
        raise ValueError(
            f"{spec.name} has no {mode!r} setting for policy {policy!r}, only {', '.join(map(repr, modes))}; "
            "give its knobs yourself, for example threshold=0.05"
        )
    return modes[mode]
