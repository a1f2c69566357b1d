"""What other methods have published for each model: coefficients, tables and settings, read from data/*.json.

A file names a method's paper and repository; an entry the script its numbers stand in, the knobs that hold for the
model, and per mode those that differ.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from navicache.models.spec import Knob, Preset

METHODS = ("teacache", "magcache", "pab")


def published(method: str, model: str) -> Mapping[str, Preset]:
    """The presets of a method for a model, by the name its authors gave it; `published_models` lists them.

    Example:
        >>> published("teacache", "HunyuanVideo")["mid"].knobs["threshold"]
        0.15
        >>> published("magcache", "Open-Sora-1.2")["mid"].source
        'MagCache, eval/magcache/experiments/opensora.py: value set in the script; README latency 21.21 s'
    """
    known = _data(method)["models"]
    if model not in known:
        raise ValueError(f"{method} has published nothing for {model!r}; known: {', '.join(known)}")
    entry = known[model]
    shared = {**entry["knobs"], **_ratios(entry)}
    return {
        mode: _preset(shared, given, f"{_data(method)['repository']}, {entry['file']}")
        for mode, given in entry["modes"].items()
    }


def published_models(method: str) -> tuple[str, ...]:
    """The models a method has published numbers for.

    Example:
        >>> "FLUX.1-dev" in published_models("magcache")
        True
    """
    return tuple(_data(method)["models"])


@cache
def _data(method: str) -> dict[str, Any]:
    if method not in METHODS:
        raise ValueError(f"nothing is kept of {method!r}; known: {', '.join(METHODS)}")
    return json.loads(files("navicache.models").joinpath("data", f"{method}.json").read_text("utf-8"))


def _preset(shared: Mapping[str, Any], given: Mapping[str, Any], script: str) -> Preset:
    said = ("from", "inferred")
    own = {knob: value for knob, value in given.items() if knob not in said}
    knobs = {**own, **shared, **own}  # what the mode is about comes first
    source = f"{script}: {given['from']}"
    return Preset({knob: _frozen(value) for knob, value in knobs.items()}, source, given.get("inferred", False))


def _ratios(entry: Mapping[str, Any]) -> dict[str, list[float]]:
    """MagCache's table as its policy has it: from step 0 on, whose ratio is 1, and no square roots left to take."""
    if "ratios" not in entry:
        return {}
    rooted = entry.get("square_root", False)
    return {"ratios": [1.0] * entry["leading_ones"] + [math.sqrt(r) if rooted else r for r in entry["ratios"]]}


def _frozen(value: Any) -> Knob:
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
