"""Which fields of a step and of an outcome were measured, and which of those cannot be trusted.

The fields carry their mark in protocols.py (`Measured`), and are listed nowhere else.
"""

import math
from collections.abc import Callable
from operator import itemgetter
from typing import Any, get_type_hints

from navicache.policies.protocols import MEASURED, Measured, Outcome, Step


def measured_fields(kind: type[Step] | type[Outcome]) -> dict[str, Any]:
    """Each measured field with its type.

    Example:
        >>> "output_size" in measured_fields(Step), "time" in measured_fields(Step)
        (True, False)
    """
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint for name, hint in hints.items() if MEASURED in getattr(hint, "__metadata__", ())}


FIELDS = {kind: tuple(measured_fields(kind)) for kind in (Step, Outcome)}
SCALARS = tuple(name for name, hint in measured_fields(Step).items() if hint == Measured[float])
VECTORS = tuple(name for name in FIELDS[Step] if name not in SCALARS)
_scalars: Callable[[Step], tuple[float | None, ...]] = itemgetter(*map(Step._fields.index, SCALARS))


def all_finite(step: Step) -> bool:
    """Whether no measurement of a step is NaN or infinite: asked at every step, so by one sum, which both survive.

    Example:
        >>> [all_finite(Step(index=3, own_index=3, since_seen=change)) for change in (None, 0.5, math.nan)]
        [True, True, False]
    """
    total = 0.0
    for number in _scalars(step):
        if number is not None:
            total += number
    for name in VECTORS:
        vector = getattr(step, name)
        if vector is not None:
            total += sum(vector)
    return math.isfinite(total)


def nonfinite_fields(facts: Step | Outcome) -> tuple[str, ...]:
    """Names of the measurements that are NaN or infinite.

    Example:
        >>> nonfinite_fields(Outcome(index=3, own_index=3, input_change=math.inf, output_size=1.0))
        ('input_change',)
    """
    return tuple(name for name in FIELDS[type(facts)] if not _finite(getattr(facts, name)))


def _finite(value: float | tuple[Any, ...] | None) -> bool:
    if value is None:
        return True
    return all(map(_finite, value)) if isinstance(value, tuple) else math.isfinite(value)
