"""What is known about a model, as data; every number names its source."""

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
    inferred: bool = False  # not published: our guess, from the nearest published setting


@dataclass(frozen=True)
class ModelSpec:
    """How to recognise a model, how it is called, and what its policies are set to."""

    name: str
    transformer: str  # class name; "" matches any
    config: Mapping[str, object] = field(default_factory=dict[str, object])  # values that tell it from its siblings
    experts: int | None = None  # how many transformers its pipeline has
    call: CallSpec = field(default_factory=CallSpec)
    presets: Mapping[str, Mapping[str, Preset]] = field(default_factory=dict[str, Mapping[str, Preset]])
    note: str = ""  # what the user should be told

    def matches(self, transformer: str, config: Mapping[str, Any], experts: int) -> bool:
        """Whether the facts are this model's."""
        return (
            self.transformer in ("", transformer)
            and self.experts in (None, experts)
            and all(config.get(key) == value for key, value in self.config.items())
        )


def find_preset(spec: ModelSpec, policy: str, mode: str) -> Preset:
    """The preset of that policy and mode.

    A policy the model has no setting for keeps its own defaults, which is then its "mid".
    """
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; known: {', '.join(MODES)}")
    modes = spec.presets.get(policy, {"mid": Preset({}, "defaults of the policy", inferred=True)})
    if mode not in modes:
        raise ValueError(
            f"{spec.name} has no {mode!r} setting for policy {policy!r}, only {', '.join(map(repr, modes))}; "
            "give its knobs yourself, for example threshold=0.05"
        )
    return modes[mode]
