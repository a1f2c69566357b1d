"""Finds the measured fields of a step and of an outcome, and those that are NaN or infinite.

Measured fields are marked in protocols.py (`MeasuredValue`) and listed nowhere else.
"""

import math
from collections.abc import Callable
from operator import itemgetter
from typing import Any, get_type_hints

from navicache.policies.protocols import MEASURED_MARK, MeasuredValue, Outcome, Step


def find_measured_fields(record_type: type[Step] | type[Outcome]) -> dict[str, Any]:
    """Each measured field with its type.

    Example:
        >>> "output_magnitude" in find_measured_fields(Step), "time" in find_measured_fields(Step)
        (True, False)
    """
    hints = get_type_hints(record_type, include_extras=True)
    return {name: hint for name, hint in hints.items() if MEASURED_MARK in getattr(hint, "__metadata__", ())}


MEASURED_FIELDS = {kind: tuple(find_measured_fields(kind)) for kind in (Step, Outcome)}
SCALAR_FIELDS = tuple(name for name, hint in find_measured_fields(Step).items() if hint == MeasuredValue[float])
VECTOR_FIELDS = tuple(name for name in MEASURED_FIELDS[Step] if name not in SCALAR_FIELDS)
_get_scalars: Callable[[Step], tuple[float | None, ...]] = itemgetter(*map(Step._fields.index, SCALAR_FIELDS))


def has_finite_measurements(step: Step) -> bool:
    """Whether all measurements of a step are finite. One sum, for speed: NaN and infinity stay in it.

    Example:
        >>> steps = [Step(index=3, local_index=3, since_seen=change) for change in (None, 0.5, math.nan)]
        >>> [has_finite_measurements(step) for step in steps]
        [True, True, False]
    """
    total = 0.0
    for number in _get_scalars(step):
        if number is not None:
            total += number
    for name in VECTOR_FIELDS:
        vector = getattr(step, name)
        if vector is not None:
            total += sum(vector)
    return math.isfinite(total)


def find_nonfinite_fields(record: Step | Outcome) -> tuple[str, ...]:
    """Names of the measurements that are NaN or infinite.

    Example:
        >>> find_nonfinite_fields(Outcome(index=3, local_index=3, input_change=math.inf, output_magnitude=1.0))
        ('input_change',)
    """
    return tuple(name for name in MEASURED_FIELDS[type(record)] if not _is_finite(getattr(record, name)))


def _is_finite(value: float | tuple[Any, ...] | None) -> bool:
    if value is None:
        return True
    return all(map(_is_finite, value)) if isinstance(value, tuple) else math.isfinite(value)
