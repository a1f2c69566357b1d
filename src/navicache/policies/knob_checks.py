"""Knobs check themselves: the messages say what to write instead."""

import math
from collections.abc import Collection
from typing import TypeGuard, cast


def check_threshold(threshold: object) -> None:
    """Refuse a threshold that could never mean anything.

    Example:
        >>> check_threshold(0.05)
    """
    if not _is_number(threshold) or not math.isfinite(threshold) or threshold < 0:
        raise ValueError(
            f"threshold must be zero or more and finite (0 computes every step, 0.05 is typical), got {threshold!r}"
        )


def check_align_steps(align_steps: object, minimum: int = 2) -> None:
    """Refuse an alignment too short to give the first ratio."""
    if not _is_integer(align_steps):
        raise ValueError(f"align_steps must be a whole number of steps, got {align_steps!r}")
    if align_steps < minimum:
        why = "the first step has nothing to reuse"
        if minimum > 1:
            why = "a ratio compares two computed steps, and without one every later step would be reused"
        raise ValueError(f"align_steps must be {minimum} or more, got {align_steps}: {why}")


def check_number(name: str, value: object, minimum: float, maximum: float, hint: str) -> None:
    """Refuse what is no number, or out of range; infinity is out of any."""
    if not _is_number(value) or not math.isfinite(value) or not minimum <= value <= maximum:
        reach = f"to {maximum:g}" if math.isfinite(maximum) else "on"
        raise ValueError(f"{name} must be a number from {minimum:g} {reach} ({hint}), got {value!r}")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Refuse an unknown word and list the known ones."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_choices(name: str, values: object, choices: Collection[str]) -> None:
    """Refuse what is no tuple of known words."""
    if not isinstance(values, tuple) or not values:
        some = next(iter(choices))
        raise ValueError(f"{name} must be a tuple of one word at least, such as ({some!r},), got {values!r}")
    for value in cast(tuple[str, ...], values):
        check_choice(name, value, choices)


def check_bool(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_not_bool(name: str, value: object) -> None:
    """Refuse True and False where a number is meant: Python takes them for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError(f"{name} must be a number, got {value!r}")


def check_index_list(name: str, values: object, min_length: int = 1) -> None:
    """Refuse what is no list of numbers of steps or blocks, or one that is too short.

    Example:
        >>> check_index_list("at", (0, 1, 5))
    """
    whole = isinstance(values, list | tuple) and all(
        _is_integer(value) and value >= 0 for value in cast(Collection[object], values)
    )
    if not whole or len(cast(Collection[object], values)) < min_length:
        raise ValueError(f"{name} must be a list of numbers from 0 on, such as (0, 1, 2, 5, 9), got {values!r}")


def check_integer(name: str, value: object, minimum: int | None = None) -> None:
    """Refuse what is no whole number, or too small."""
    if not _is_integer(value) or (minimum is not None and value < minimum):
        size = "" if minimum is None else f" of {minimum} or more"
        raise ValueError(f"{name} must be a whole number{size}, got {value!r}")


def check_optional_count(name: str, value: object) -> None:
    """Refuse what is no count and not None.

    Example:
        >>> check_optional_count("longest_reuse", None)
    """
    if value is not None and not (_is_integer(value) and value >= 0):
        raise ValueError(f"{name} must be a whole number of 0 or more, or None for no limit, got {value!r}")


def check_polynomial_coefficients(values: object) -> None:
    """Refuse what is no polynomial of degree four.

    Example:
        >>> check_polynomial_coefficients((0.0, 0.0, 0.0, 1.0, 0.0))
    """
    if not _is_tuple_of_finite_numbers(values) or len(values) != 5:
        raise ValueError(
            "coefficients must be a tuple of five numbers, the one of the fourth power first: (0, 0, 0, 1, 0) takes a "
            f"change as it is; got {values!r}"
        )


def check_number_tuple(name: str, values: object, hint: str) -> None:
    """Refuse what is no tuple of finite numbers."""
    if not _is_tuple_of_finite_numbers(values):
        raise ValueError(f"{name} must be a tuple of numbers ({hint}), got {values!r}")


def check_timestep_window(name: str, window: object) -> None:
    """Refuse what is no (low, high) pair of timesteps."""
    if not _is_tuple_of_finite_numbers(window) or len(window) != 2 or window[0] >= window[1]:
        raise ValueError(f"{name} must be (low, high) timesteps such as (100, 800), got {window!r}")


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_tuple_of_finite_numbers(values: object) -> TypeGuard[tuple[float, ...]]:
    if not isinstance(values, tuple):
        return False
    return all(_is_number(value) and math.isfinite(value) for value in cast(tuple[object, ...], values))
