"""Published coefficients, tables and settings of other methods, read from data/*.json.

A file names a method's paper and repository; each entry names the script its numbers come from, the knobs of the
model, and for each mode the knobs that differ.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from navicache.models.model_spec import KnobValue, Preset

PUBLISHED_METHODS = ("teacache", "magcache", "pab")


def load_published_presets(method: str, model: str) -> Mapping[str, Preset]:
    """Load the presets of a method for a model, by the authors' name of it; see `list_published_models`.

    Example:
        >>> load_published_presets("teacache", "HunyuanVideo")["mid"].knobs["threshold"]
        0.15
        >>> load_published_presets("magcache", "Open-Sora-1.2")["mid"].source
        'MagCache, eval/magcache/experiments/opensora.py: value set in the script; README latency 21.21 s'
    """
    known = _load_method_file(method)["models"]
    if model not in known:
        raise ValueError(f"{method} has published nothing for {model!r}; known: {', '.join(known)}")
    entry = known[model]
    shared = {**entry["knobs"], **_normalise_ratio_table(entry)}
    return {
        mode: _build_preset(shared, given, f"{_load_method_file(method)['repository']}, {entry['file']}")
        for mode, given in entry["modes"].items()
    }


def list_published_models(method: str) -> tuple[str, ...]:
    """List the models with published numbers of a method.

    Example:
        >>> "FLUX.1-dev" in list_published_models("magcache")
        True
    """
    return tuple(_load_method_file(method)["models"])


@cache
def _load_method_file(method: str) -> dict[str, Any]:
    if method not in PUBLISHED_METHODS:
        raise ValueError(f"no published settings for method {method!r}; known: {', '.join(PUBLISHED_METHODS)}")
    return json.loads(files("navicache.models").joinpath("data", f"{method}.json").read_text("utf-8"))


def _build_preset(model_knobs: Mapping[str, Any], mode_entry: Mapping[str, Any], script: str) -> Preset:
    remarks = ("from", "inferred")
    mode_knobs = {knob: value for knob, value in mode_entry.items() if knob not in remarks}
    knobs = {**mode_knobs, **model_knobs, **mode_knobs}  # the mode's knobs come first in order, and win
    source, inferred = f"{script}: {mode_entry['from']}", mode_entry.get("inferred", False)
    return Preset({knob: _freeze_list(value) for knob, value in knobs.items()}, source, inferred)


def _normalise_ratio_table(entry: Mapping[str, Any]) -> dict[str, list[float]]:
    """Convert MagCache's table to the policy's form: it starts with step 0, whose ratio is 1, without square roots."""
    if "ratios" not in entry:
        return {}
    rooted = entry.get("square_root", False)
    return {"ratios": [1.0] * entry["leading_ones"] + [math.sqrt(r) if rooted else r for r in entry["ratios"]]}


def _freeze_list(value: Any) -> KnobValue:
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
