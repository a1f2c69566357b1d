"""What a model returns, taken apart and put together again, and what it is called with, row by row."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from navicache.engine.errors import CannotCache
from navicache.engine.rows import Rows, index_tensor
from navicache.models import Place

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
    match output:
        case Tensor():
            return Output((output,), lambda rows: rows[0])
        case [*entries] if listed and entries and all(isinstance(entry, Tensor) for entry in entries):
            rows = tuple(entry.unsqueeze(0) for entry in entries)
            return Output(rows, lambda rows: _like(output, [row.squeeze(0) for row in rows]))
        case Mapping() if output:
            key = place if place is not None else _first_key(output)
            return _nested(output[key], listed, lambda value: _like(output, {**output, key: value}))
        case [*entries] if entries:
            position = place if isinstance(place, int) else 0
            return _nested(entries[position], listed, lambda value: _with_entry(output, position, value))
        case _ if dataclasses.is_dataclass(output) and not isinstance(output, type):
            fields = {f.name: getattr(output, f.name) for f in dataclasses.fields(output)}
            key = str(place) if place is not None else _first_key(fields)
            return _nested(fields[key], listed, lambda value: dataclasses.replace(output, **{key: value}))
        case _:
            raise CannotCache(
                f"the model returned {type(output).__name__}, which holds no tensor to cache; "
                "say where its prediction is with CallSpec(output=...)"
            )


def _nested(value: Any, listed: bool, wrap: Callable[[Any], Any]) -> Output:
    inner = unpack(value, None, listed)
    return Output(inner.rows, lambda rows: wrap(inner.rebuild(rows)))


def _first_key(fields: Mapping[str, Any]) -> str:
    for key, value in fields.items():
        if isinstance(value, Tensor | list):
            return key
    return next(iter(fields))


def _with_entry(output: Sequence[Any], position: int, value: Any) -> Any:
    entries = [*output]
    entries[position] = value
    return _like(output, entries)


def _like(output: Any, content: Any) -> Any:
    """A container of the output's own type; diffusers' outputs and named tuples take their fields one by one."""
    kind = type(output)
    if isinstance(content, dict):
        return kind(**content)
    return kind(content) if kind in (list, tuple) else kind(*content)


def select(value: Any, rows: int, indices: Sequence[int], listed: bool) -> Any:
    """The argument as it is for some rows of the batch.

    Every tensor whose first dimension is the batch follows, anywhere inside lists, tuples and dicts; others do not.
    Where the latent is a list, so are its companions: a list as long as the batch is picked from.
    """
    match value:
        case Tensor() if value.ndim > 0 and value.shape[0] == rows:
            return value[index_tensor(indices, value.device)]
        case list() if listed and len(value) == rows:
            return [value[i] for i in indices]
        case list():
            return [select(entry, rows, indices, listed) for entry in value]
        case tuple() if type(value) is tuple:
            return tuple(select(entry, rows, indices, listed) for entry in value)
        case dict():
            return {key: select(entry, rows, indices, listed) for key, entry in value.items()}
        case _:
            return value
