"""Readers for the values of a plan file; errors name the key and what is allowed."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

ValueReader = Callable[[Any, str], Any]


class PlanErrors(ValueError):
    """All problems of a plan, one line each."""

    def __init__(self, *problems: str) -> None:
        """Keep the lines; each says what to do."""
        super().__init__("\n".join(problems))
        self.problems = problems


def read_all(reads: Iterable[Callable[[], Any]]) -> list[Any]:
    """Run all readers, and raise all their problems at once.

    Example:
        >>> read_all([lambda: 1, lambda: read_positive_int(0, "batch"), lambda: read_text(1, "name")])
        Traceback (most recent call last):
        navicache.evaluation.bench.plan_readers.PlanErrors: batch must be above zero, got 0
        name must be a text, got 1
    """
    found: list[Any] = []
    problems: list[str] = []
    for read in reads:
        try:
            found.append(read())
        except PlanErrors as error:
            problems += error.problems
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise PlanErrors(*problems)
    return found


def _read_kind(kind: type, words: str) -> ValueReader:
    def read(value: Any, place: str) -> Any:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ValueError(f"{place} must be {words}, got {value!r}")
        return value

    return read


read_text, read_table, read_list = _read_kind(str, "a text"), _read_kind(dict, "a table"), _read_kind(list, "a list")
read_int = _read_kind(int, "a whole number")


def read_texts(value: Any, place: str) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(read_text(entry, place) for entry in read_list(value, place))


def read_positive_int(value: Any, place: str) -> int:
    """A whole number above zero.

    Example:
        >>> read_positive_int(0, "batch")
        Traceback (most recent call last):
        ValueError: batch must be above zero, got 0
    """
    if read_int(value, place) < 1:
        raise ValueError(f"{place} must be above zero, got {value}")
    return value


def read_positive_number(value: Any, place: str) -> float:
    """A finite number above zero."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < math.inf:
        raise ValueError(f"{place} must be a number above zero, got {value!r}")
    return value


def read_count(value: Any, place: str) -> int:
    """A whole number, zero or above."""
    if read_int(value, place) < 0:
        raise ValueError(f"{place} must not be below zero, got {value}")
    return value


def read_share(value: Any, place: str) -> float:
    """A number above 0 and at most 1."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 1:
        raise ValueError(f"{place} must be a number above 0 and at most 1, got {value!r}")
    return value


def reader_of_choice(*known: str) -> ValueReader:
    """One of these texts."""

    def read(value: Any, place: str) -> str:
        if value not in known:
            raise ValueError(f"{place} must be one of {', '.join(known)}, got {value!r}")
        return value

    return read


def reader_of_choices(*known: str) -> ValueReader:
    """A list of these texts, at least one."""
    read = reader_of_choice(*known)

    def read_all(value: Any, place: str) -> tuple[str, ...]:
        if not read_list(value, place):
            raise ValueError(f"{place} is empty: give some of {', '.join(known)}")
        return tuple(read(entry, place) for entry in value)

    return read_all


def read_tables(value: Any, place: str) -> Iterator[tuple[Any, str]]:
    """The tables of a list, each with its place."""
    for number, entry in enumerate(read_list(value, place)):
        yield read_table(entry, f"{place}[{number}]"), f"{place}[{number}]"


def check_keys(value: Any, place: str, known: tuple[str, ...], required: Any) -> None:
    """Refuse unknown keys and missing required ones."""
    allowed = f"allowed: {', '.join(known)}"
    unknown = [f"{place} has an unknown key {key!r}; {allowed}" for key in read_table(value, place) if key not in known]
    missing = [f"{place} lacks {key!r}; {allowed}" for key in required if key not in value]
    if unknown or missing:
        raise PlanErrors(*unknown, *missing)
