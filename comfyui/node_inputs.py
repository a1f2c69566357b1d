"""Turn the values of the widgets into arguments of `attach`. Nothing of ComfyUI is imported here."""

import re
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from navicache.policies import POLICIES

# entries of the target widget
SPEEDUP_TARGET, QUALITY_TARGET, MAX_ERROR_TARGET, POLICY_TARGET = "speed-up", "quality", "max error", "policy"
SETTINGS_TARGET = "settings file"
ITS_CHOICE = "its choice"  # of a settings file, in place of a quality
LITERALS = {"true": True, "false": False, "none": None}
KNOB_FORMAT_HINT = "write name=value, several with a comma between them, as in: align_steps=4, last_step=false"


def build_attach_arguments(target: dict[str, Any], knobs: str) -> dict[str, Any]:
    """Build the keyword arguments of `navicache_comfyui.attach`.

    Example:
        >>> build_attach_arguments({"target": "speed-up", "speedup": 2.0}, "align_steps=4")
        {'speedup': 2.0, 'knobs': {'align_steps': 4}}
    """
    given = {name: value for name, value in target.items() if name != "target" and value != ITS_CHOICE}
    return {**given, "knobs": parse_knobs(knobs)}


def parse_knobs(text: str) -> dict[str, Any]:
    """Parse the knobs of a policy, written as name=value.

    Example:
        >>> parse_knobs("threshold=0.1, rows=sample; last_step=false")
        {'threshold': 0.1, 'rows': 'sample', 'last_step': False}
    """
    entries = [entry.strip() for entry in re.split(r"[,;\n]", text) if entry.strip()]
    knobs: dict[str, Any] = {}
    for entry in entries:
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not (name and equals and value):
            raise ValueError(f"cannot read the knob {entry!r}: {KNOB_FORMAT_HINT}")
        if name in knobs:
            raise ValueError(f"the knob {name!r} is given twice: leave one of them out")
        knobs[name] = _parse_value(value)
    return knobs


def find_knob_mistake(text: str) -> str | None:
    """Describe what is wrong with the knobs for every policy; None if nothing is.

    Example:
        >>> find_knob_mistake("align_step=4")
        "no policy has a knob 'align_step': did you mean 'align_steps'?"
    """
    try:
        knobs = parse_knobs(text)
    except ValueError as error:
        return str(error)
    known = {field.name for policy in POLICIES.values() for field in fields(policy)}
    unknown = next((name for name in knobs if name not in known), None)
    if unknown is None:
        return None
    near = get_close_matches(unknown, known, n=1)
    return f"no policy has a knob {unknown!r}: " + (f"did you mean {near[0]!r}?" if near else "leave it out")


def _parse_value(text: str) -> Any:
    if text.lower() in LITERALS:
        return LITERALS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
