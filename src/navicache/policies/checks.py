"""Knobs check themselves: the messages say what to write instead."""

import math
from collections.abc import Collection


def check_threshold(threshold: object) -> None:
    """Refuse a threshold that could never mean anything.

    Example:
        >>> check_threshold(0.05)
    """
    if not isinstance(threshold, int | float) or math.isnan(threshold) or threshold < 0:
        raise ValueError(f"threshold must be zero or more (0 computes every step, 0.05 is typical), got {threshold!r}")


def check_align_steps(align_steps: object, at_least: int = 2) -> None:
    """Refuse an alignment too short to give the first ratio."""
    if not isinstance(align_steps, int):
        raise ValueError(f"align_steps must be a whole number of steps, got {align_steps!r}")
    if align_steps < at_least:
        why = "the first step has nothing to reuse"
        if at_least > 1:
            why = "a ratio compares two computed steps, and without one every later step would be reused"
        raise ValueError(f"align_steps must be {at_least} or more, got {align_steps}: {why}")


def check_longest_reuse(longest_reuse: object) -> None:
    """Refuse what is no number of reuses in a row."""
    if longest_reuse is not None and not (isinstance(longest_reuse, int) and longest_reuse >= 0):
        raise ValueError(f"longest_reuse must be 0 (never reuse) or more, or None for no limit, got {longest_reuse!r}")


def check_number(name: str, value: object, least: float, most: float, hint: str) -> None:
    """Refuse what is no number, or out of range."""
    if not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g} ({hint}), got {value!r}")


def check_choice(name: str, value: str, known: Collection[str]) -> None:
    """Refuse an unknown word and list the known ones."""
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
