"""What a model returns, taken apart and put together again, and what it is called with, row by row."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.rows import Rows, count, index_tensor
from navicache.models import PER_SAMPLE_NAMES, SHARED_NAMES, Place

Rebuild = Callable[[Rows], Any]


class Output(NamedTuple):
    """The predicted tensor of an output and the way back into the same container."""

    rows: Rows
    rebuild: Rebuild


def unpack(output: Any, place: Place | None, listed: bool) -> Output:
    """Find the prediction in whatever the model returned; everything beside it is held on reuse.

    Args:
        output: tensor, list of tensors, tuple, dict or dataclass, also nested.
        place: key or position of the prediction; None takes the first that holds tensors.
        listed: the latent was a list, so a list of tensors is a batch and not a set of outputs.
    """
    kind = type(output)
    match output:
        case Tensor():
            return Output((output,), lambda rows: rows[0])
        case [*entries] if listed and entries and all(isinstance(entry, Tensor) for entry in entries):
            rows = tuple(entry.unsqueeze(0) for entry in entries)
            return Output(rows, lambda rows: _sequence(kind, [row.squeeze(0) for row in rows]))
        case (Tensor() as only,) if kind is tuple and place in (None, 0):  # what pipelines ask for: rows are that
            return Output((only,), tuple)
        case Mapping() if output:
            build = dict if kind is dict else lambda fields: kind(**fields)
            return _nested(build, dict(output), place, listed)
        case [*entries] if entries:
            names: list[Place] = list(getattr(kind, "_fields", ()))  # of a named tuple
            key = 0 if place is None else names.index(place) if place in names else place
            return _nested(lambda fields: _sequence(kind, fields.values()), dict(enumerate(entries)), key, listed)
        case _ if dataclasses.is_dataclass(kind):
            fields = {f.name: getattr(output, f.name) for f in dataclasses.fields(output)}
            return _nested(lambda fields: kind(**fields), fields, place, listed)
        case _:
            raise CannotCache(
                f"the model returned {kind.__name__}, which holds no tensor to cache; "
                "say where its prediction is with CallSpec(output=...)"
            )


def check_rows(output: Output, rows: int) -> None:
    """A model that returns another number of rows than it was given cannot be put together again."""
    if count(output.rows) != rows:
        raise CannotCache(
            f"the model returned {count(output.rows)} rows for {rows}: its output cannot be split by sample. "
            "Name the right arguments with call=CallSpec(latent=..., output=...)"
        )


def _nested(build: Callable[[dict[Any, Any]], Any], fields: dict[Any, Any], key: Place | None, listed: bool) -> Output:
    """The prediction lies in one field; only the others are remembered, or every output would be kept alive."""
    if key is None:
        holding = (name for name, value in fields.items() if isinstance(value, Tensor | list))
        key = next(holding, next(iter(fields)))
    if key not in fields:
        have = ", ".join(map(repr, fields))
        raise CannotCache(f"the model's output has no {key!r}, only {have}: say so with CallSpec(output=...)")
    rows, rebuild = unpack(fields[key], None, listed)
    beside = {name: None if name == key else _copied(value) for name, value in fields.items()}
    if not any(map(_holds_tensors, beside.values())):  # nothing that could be written to
        return Output(rows, lambda rows: build({**beside, key: rebuild(rows)}))
    return Output(rows, lambda rows: build({**{n: _copied(v) for n, v in beside.items()}, key: rebuild(rows)}))


def _sequence(kind: type, entries: Iterable[Any]) -> Any:
    """A list or tuple of the output's own type; named tuples take their fields one by one."""
    return kind(entries) if kind in (list, tuple) else kind(*entries)


def select(value: Any, rows: int, indices: Sequence[int], listed: bool, name: str | None = None) -> Any:
    """The argument as it is for some rows of the batch.

    Every tensor whose first dimension is the batch follows, anywhere inside lists, tuples and dicts; others do not,
    nor do arguments known to belong to the whole call. Where the latent is a list, so are its companions: a list as
    long as the batch is picked from; so are lists known to hold one entry per sample.
    """
    if name in SHARED_NAMES:
        return value
    match value:
        case Tensor() if value.ndim > 0 and value.shape[0] == rows:
            return value[index_tensor(indices, value.device)]
        case list() if len(value) == rows and (name in PER_SAMPLE_NAMES or (listed and _holds_tensors(value))):
            return [value[i] for i in indices]
        case list():
            return [select(entry, rows, indices, listed) for entry in value]
        case tuple():
            return _sequence(type(value), [select(entry, rows, indices, listed) for entry in value])
        case dict():
            return {key: select(entry, rows, indices, listed) for key, entry in value.items()}
        case _:
            return value


def _holds_tensors(value: Any) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, list | tuple) and any(map(_holds_tensors, value)))


def _copied(value: Any) -> Any:
    """What stands beside the prediction, out of reach of whoever gets it."""
    match value:
        case Tensor():
            return value.clone()
        case list() | tuple():
            return _sequence(type(value), [_copied(entry) for entry in value])
        case _:
            return value
