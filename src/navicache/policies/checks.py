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


def check_align_steps(align_steps: int, at_least: int = 2) -> None:
    """Refuse an alignment too short to give the first ratio."""
    if align_steps < at_least:
        raise ValueError(
            f"align_steps must be {at_least} or more, got {align_steps}: a ratio compares two computed steps, "
            "and without one every later step would be reused"
        )


def check_longest_reuse(longest_reuse: int | None) -> None:
    """Refuse a negative number of reuses in a row."""
    if longest_reuse is not None and longest_reuse < 0:
        raise ValueError(f"longest_reuse must be 0 (never reuse) or more, or None for no limit, got {longest_reuse}")


def check_choice(name: str, value: str, known: Collection[str]) -> None:
    """Refuse an unknown word and list the known ones."""
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
