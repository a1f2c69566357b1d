"""Knobs check themselves: the messages say what to write instead."""

import math
from collections.abc import Collection
from typing import TypeGuard, cast


def check_threshold(threshold: object) -> None:
    """Refuse a threshold that could never mean anything.

    Example:
        >>> check_threshold(0.05)
    """
    if not _number(threshold) or math.isnan(threshold) or threshold < 0:
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
    if not _number(value) or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g} ({hint}), got {value!r}")


def check_choice(name: str, value: object, known: Collection[str]) -> None:
    """Refuse an unknown word and list the known ones."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def check_words(name: str, values: object, known: Collection[str]) -> None:
    """Refuse what is no tuple of known words."""
    if not isinstance(values, tuple) or not values:
        some = next(iter(known))
        raise ValueError(f"{name} must be a tuple of one word at least, such as ({some!r},), got {values!r}")
    for value in cast(tuple[str, ...], values):
        check_choice(name, value, known)


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_steps(name: str, values: object, at_least: int = 1) -> None:
    """Refuse what is no list of numbers of steps or blocks, or one that is too short.

    Example:
        >>> check_steps("at", (0, 1, 5))
    """
    whole = isinstance(values, list | tuple) and all(
        type(value) is int and value >= 0 for value in cast(Collection[object], values)
    )
    if not whole or len(cast(Collection[object], values)) < at_least:
        raise ValueError(f"{name} must be a list of numbers from 0 on, such as (0, 1, 2, 5, 9), got {values!r}")


def check_whole(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number, or too small."""
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of {least} or more, got {value!r}")


def check_limit(name: str, value: object) -> None:
    """Refuse what is no count and not None."""
    if value is not None and not (isinstance(value, int) and value >= 0):
        raise ValueError(f"{name} must be a whole number of 0 or more, or None for no limit, got {value!r}")


def check_coefficients(values: object) -> None:
    """Refuse what is no polynomial of degree four.

    Example:
        >>> check_coefficients((0.0, 0.0, 0.0, 1.0, 0.0))
    """
    if not _numbers(values) or len(values) != 5:
        raise ValueError(
            "coefficients must be a tuple of five numbers, the one of the fourth power first: (0, 0, 0, 1, 0) takes a "
            f"change as it is; got {values!r}"
        )


def check_table(name: str, values: object, hint: str) -> None:
    """Refuse what is no tuple of finite numbers."""
    if not _numbers(values):
        raise ValueError(f"{name} must be a tuple of numbers ({hint}), got {values!r}")


def check_window(name: str, window: object) -> None:
    """Refuse what is no (low, high) pair of timesteps."""
    if not _numbers(window) or len(window) != 2 or window[0] >= window[1]:
        raise ValueError(f"{name} must be (low, high) timesteps such as (100, 800), got {window!r}")


def _number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(values: object) -> TypeGuard[tuple[float, ...]]:
    if not isinstance(values, tuple):
        return False
    return all(isinstance(value, int | float) and math.isfinite(value) for value in cast(tuple[object, ...], values))
