"""Values of options, each checked as it is read; errors name the option and what it may be."""

import math
from argparse import ArgumentTypeError
from contextlib import suppress
from typing import Any

WORDS = {"true": True, "false": False}


def positive(text: str) -> int:
    """A whole number above zero.

    Example:
        >>> positive("17")
        17
    """
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"must be a whole number above zero, got {text!r}")
    return int(text)


def above_zero(text: str) -> float:
    """A number above zero, and no infinity.

    Example:
        >>> above_zero("5")
        5.0
    """
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise ArgumentTypeError(f"must be a number above zero, got {text!r}")


def knob(text: str) -> tuple[str, Any]:
    """A knob's name and its value: a number, true or false, or text.

    Example:
        >>> knob("align_steps=5"), knob("threshold=5e-2"), knob("last_step=false"), knob("site=blocks")
        (('align_steps', 5), ('threshold', 0.05), ('last_step', False), ('site', 'blocks'))
    """
    name, _, value = text.partition("=")
    if not name or not value:
        raise ArgumentTypeError(f"must be name=value, as threshold=0.05, got {text!r}")
    return name, _value(value)


def _value(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
