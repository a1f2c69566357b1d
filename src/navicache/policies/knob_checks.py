"""Checks for knob values. Each error message says what to write instead."""

import math
import sys
from collections.abc import Collection
from typing import TypeGuard, cast


def check_threshold(threshold: object) -> None:
    """Raise ValueError unless the threshold is finite and not negative.

    Example:
        >>> check_threshold(0.05)
    """
    if not _is_finite_number(threshold) or threshold < 0:
        raise ValueError(
            f"threshold must be zero or more and finite (0 computes every step, 0.05 is typical), got {threshold!r}"
        )


def check_align_steps(align_steps: object, minimum: int = 2) -> None:
    """Raise ValueError unless the alignment is long enough for a first ratio."""
    if not _is_integer(align_steps):
        raise ValueError(f"align_steps must be a whole number of steps, got {align_steps!r}")
    if align_steps < minimum:
        why = "the first step has nothing to reuse"
        if minimum > 1:
            why = "a ratio compares two computed steps, and without one every later step would be reused"
        raise ValueError(f"align_steps must be {minimum} or more, got {align_steps}: {why}")


def check_number(name: str, value: object, minimum: float, maximum: float, hint: str) -> None:
    """Raise ValueError unless `value` is a finite number in the range."""
    if not _is_finite_number(value) or not minimum <= value <= maximum:
        reach = f"to {maximum:g}" if math.isfinite(maximum) else "on"
        raise ValueError(f"{name} must be a number from {minimum:g} {reach} ({hint}), got {value!r}")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise ValueError unless `value` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_choices(name: str, values: object, choices: Collection[str]) -> None:
    """Raise ValueError unless `values` is a tuple of choices."""
    if not isinstance(values, tuple) or not values:
        some = next(iter(choices))
        raise ValueError(f"{name} must be a tuple of one word at least, such as ({some!r},), got {values!r}")
    for value in cast(tuple[str, ...], values):
        check_choice(name, value, choices)


def check_bool(name: str, value: object) -> None:
    """Raise ValueError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_not_bool(name: str, value: object) -> None:
    """Raise ValueError for True and False, which Python would take for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError(f"{name} must be a number, got {value!r}")


def check_index_list(name: str, values: object, min_length: int = 1) -> None:
    """Raise ValueError unless `values` is a list of step or block indices of the minimum length.

    Example:
        >>> check_index_list("at", (0, 1, 5))
    """
    are_indices = isinstance(values, list | tuple) and all(
        _is_integer(value) and value >= 0 for value in cast(Collection[object], values)
    )
    if not are_indices or len(cast(Collection[object], values)) < min_length:
        raise ValueError(f"{name} must be a list of numbers from 0 on, such as (0, 1, 2, 5, 9), got {values!r}")


def check_integer(name: str, value: object, minimum: int | None = None) -> None:
    """Raise ValueError unless `value` is an integer and not below `minimum`."""
    if not _is_integer(value) or (minimum is not None and value < minimum):
        size = "" if minimum is None else f" of {minimum} or more"
        raise ValueError(f"{name} must be a whole number{size}, got {value!r}")


def check_optional_count(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a count or None.

    Example:
        >>> check_optional_count("longest_reuse", None)
    """
    if value is not None and not (_is_integer(value) and value >= 0):
        raise ValueError(f"{name} must be a whole number of 0 or more, or None for no limit, got {value!r}")


def check_polynomial_coefficients(values: object) -> None:
    """Raise ValueError unless `values` are the coefficients of a polynomial of degree four.

    Example:
        >>> check_polynomial_coefficients((0.0, 0.0, 0.0, 1.0, 0.0))
    """
    if not _is_tuple_of_finite_numbers(values) or len(values) != 5:
        raise ValueError(
            "coefficients must be a tuple of five numbers, the one of the fourth power first: (0, 0, 0, 1, 0) takes a "
            f"change as it is; got {values!r}"
        )


def check_number_tuple(name: str, values: object, hint: str) -> None:
    """Raise ValueError unless `values` is a tuple of finite numbers."""
    if not _is_tuple_of_finite_numbers(values):
        raise ValueError(f"{name} must be a tuple of numbers ({hint}), got {values!r}")


def check_timestep_window(name: str, window: object) -> None:
    """Raise ValueError unless `window` is a (low, high) pair of timesteps."""
    if not _is_tuple_of_finite_numbers(window) or len(window) != 2 or window[0] >= window[1]:
        raise ValueError(f"{name} must be (low, high) timesteps such as (100, 800), got {window!r}")


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite_number(value: object) -> TypeGuard[float]:
    # The last is false for NaN, and for integers that no float can hold.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_tuple_of_finite_numbers(values: object) -> TypeGuard[tuple[float, ...]]:
    if not isinstance(values, tuple):
        return False
    return all(_is_finite_number(value) for value in cast(tuple[object, ...], values))
