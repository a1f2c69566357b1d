"""Turn the values of the widgets into arguments of `attach`. Nothing of ComfyUI is imported here."""

import re
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

import torch

from navicache.models import MODES, QUALITIES, SPEEDUP_OF_QUALITY
from navicache.policies import POLICIES

# entries of the target widget
SPEEDUP_TARGET, QUALITY_TARGET, MAX_ERROR_TARGET, POLICY_TARGET = "speed-up", "quality", "max error", "policy"
SETTINGS_TARGET = "settings file"
ITS_CHOICE = "its choice"  # of a settings file, in place of a quality
TARGETS = (SPEEDUP_TARGET, QUALITY_TARGET, MAX_ERROR_TARGET, POLICY_TARGET, SETTINGS_TARGET)
# Without a settings file a quality is a speed-up. Naming it tells the choice "fast" from the mode "fast", which this
# widget offered before with "slow" and "mid": workflows saved then have the bare words.
QUALITY_CHOICES = {f"{word} ({SPEEDUP_OF_QUALITY[word]:g}x)": word for word in QUALITIES}
MODELS_OWN = "as the model has it"
KEEP_DEVICES = {MODELS_OWN: None, "cpu": "cpu"}
KEEP_DTYPES = {MODELS_OWN: None, "bfloat16": torch.bfloat16, "float16": torch.float16}
LITERALS = {"true": True, "false": False, "none": None}
KNOB_FORMAT_HINT = "write name=value, several with a comma between them, as in: align_steps=4, last_step=false"
KNOB_SEPARATOR = re.compile(r"[,;\n](?![^\[]*\])")  # not within the brackets of a list


class OfferedQualities(list[str]):
    """The choices of the quality widget; the words of older workflows pass ComfyUI's check, which is `in`, unseen.

    Example:
        >>> offered = OfferedQualities(["high (2x)"])
        >>> "mid" in offered, "low" in offered, offered
        (True, False, ['high (2x)'])
    """

    def __contains__(self, word: object) -> bool:
        """Whether it is offered, or was."""
        return super().__contains__(word) or word in MODES


def build_attach_arguments(
    target: dict[str, Any],
    knobs: str,
    longest_reuse: int = 0,
    keep_device: str = MODELS_OWN,
    keep_dtype: str = MODELS_OWN,
    **part: float,
) -> dict[str, Any]:
    """Build the keyword arguments of `navicache_comfyui.attach`; `part` are the shares of the run.

    Example:
        >>> build_attach_arguments({"target": "speed-up", "speedup": 2.0}, "align_steps=4")
        {'speedup': 2.0, 'knobs': {'align_steps': 4}}
        >>> build_attach_arguments({"target": "speed-up"}, "", 3, "cpu", end_percent=0.9)["knobs"]
        {'longest_reuse': 3}
        >>> [build_attach_arguments({"target": "quality", "quality": word}, "") for word in ("fast (3x)", "fast")]
        [{'quality': 'fast', 'knobs': {}}, {'mode': 'fast', 'knobs': {}}]
    """
    given = {name: value for name, value in target.items() if name != "target" and value != ITS_CHOICE}
    if target["target"] == QUALITY_TARGET and "quality" in given:
        word = given.pop("quality")
        given |= {"mode": word} if word in MODES else {"quality": QUALITY_CHOICES[word]}
    limits = {"longest_reuse": longest_reuse} if longest_reuse else {}
    kept = {"keep_device": KEEP_DEVICES[keep_device], "keep_dtype": KEEP_DTYPES[keep_dtype]}
    return {
        **given,
        "knobs": {**limits, **parse_knobs(knobs)},
        **{name: value for name, value in kept.items() if value is not None},
        **part,
    }


def find_target_mistake(target: Any) -> str | None:
    """Describe a target that the node does not have; ComfyUI passes None for one that it cannot read.

    Example:
        >>> find_target_mistake({"target": "speedup"})
        "no target 'speedup': did you mean 'speed-up'?"
        >>> find_target_mistake(None)
        'the target is missing, or none of speed-up, quality, max error, policy, settings file'
    """
    name = target.get("target") if isinstance(target, dict) else target
    if name in TARGETS:
        return None
    if name is None:
        return f"the target is missing, or none of {', '.join(TARGETS)}"
    near = get_close_matches(str(name), TARGETS, n=1)
    return f"no target {name!r}: " + (f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(TARGETS)}")


def parse_knobs(text: str) -> dict[str, Any]:
    """Parse the knobs of a policy, written as name=value.

    Example:
        >>> parse_knobs("threshold=0.1, rows=sample; last_step=false")
        {'threshold': 0.1, 'rows': 'sample', 'last_step': False}
        >>> parse_knobs("at=[0, 1, 2, 5], align_steps=2")
        {'at': (0, 1, 2, 5), 'align_steps': 2}
    """
    entries = [entry.strip() for entry in KNOB_SEPARATOR.split(text) if entry.strip()]
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
    if text.startswith("[") and text.endswith("]"):
        return tuple(_parse_value(part.strip()) for part in text[1:-1].split(",") if part.strip())
    if text.lower() in LITERALS:
        return LITERALS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
