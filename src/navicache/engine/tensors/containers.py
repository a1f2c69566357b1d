"""What a model returns, taken apart and put together again, and what it is called with, row by row."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.rows import Rows, count_rows, create_index_tensor
from navicache.models import PER_SAMPLE_ARGUMENT_NAMES, SHARED_ARGUMENT_NAMES, ArgumentKey

RebuildContainer = Callable[[Rows], Any]


class UnpackedOutput(NamedTuple):
    """The predicted tensor of an output and the way back into the same container."""

    rows: Rows
    rebuild: RebuildContainer


def unpack_output(output: Any, output_key: ArgumentKey | None, is_latent_list: bool) -> UnpackedOutput:
    """Find the prediction in whatever the model returned; everything beside it is held on reuse.

    Args:
        output: tensor, list of tensors, tuple, dict or dataclass, also nested.
        output_key: key or position of the prediction; None takes the first that holds tensors.
        is_latent_list: the latent was a list, so a list of tensors is a batch and not a set of outputs.
    """
    kind = type(output)
    match output:
        case Tensor():
            return UnpackedOutput((output,), lambda rows: rows[0])
        case [*entries] if is_latent_list and entries and all(isinstance(entry, Tensor) for entry in entries):
            rows = tuple(entry.unsqueeze(0) for entry in entries)
            return UnpackedOutput(rows, lambda rows: _build_sequence(kind, [row.squeeze(0) for row in rows]))
        case (Tensor() as only,) if kind is tuple and output_key in (None, 0):  # what pipelines ask for: rows are that
            return UnpackedOutput((only,), tuple)
        case Mapping() if output:
            build = dict if kind is dict else lambda fields: kind(**fields)
            return _unpack_field(build, dict(output), output_key, is_latent_list)
        case [*entries] if entries:
            names: list[ArgumentKey] = list(getattr(kind, "_fields", ()))  # of a named tuple
            key = 0 if output_key is None else names.index(output_key) if output_key in names else output_key
            return _unpack_field(
                lambda fields: _build_sequence(kind, fields.values()), dict(enumerate(entries)), key, is_latent_list
            )
        case _ if dataclasses.is_dataclass(kind):
            fields = {f.name: getattr(output, f.name) for f in dataclasses.fields(output)}
            return _unpack_field(lambda fields: kind(**fields), fields, output_key, is_latent_list)
        case _:
            raise CannotCache(
                f"the model returned {kind.__name__}, which holds no tensor to cache; "
                "say where its prediction is with CallSpec(output=...)"
            )


def check_row_count(output: UnpackedOutput, rows: int) -> None:
    """A model that returns another number of rows than it was given cannot be put together again."""
    if count_rows(output.rows) != rows:
        raise CannotCache(
            f"the model returned {count_rows(output.rows)} rows for {rows}: its output cannot be split by sample. "
            "Name the right arguments with call=CallSpec(latent=..., output=...)"
        )


def _unpack_field(
    build: Callable[[dict[Any, Any]], Any], fields: dict[Any, Any], key: ArgumentKey | None, is_latent_list: bool
) -> UnpackedOutput:
    """The prediction lies in one field; only the others are remembered, or every output would be kept alive."""
    if key is None:
        holding = (name for name, value in fields.items() if isinstance(value, Tensor | list))
        key = next(holding, next(iter(fields)))
    if key not in fields:
        have = ", ".join(map(repr, fields))
        raise CannotCache(f"the model's output has no {key!r}, only {have}: say so with CallSpec(output=...)")
    rows, rebuild = unpack_output(fields[key], None, is_latent_list)
    beside = {name: None if name == key else _clone_tensors(value) for name, value in fields.items()}
    if not any(map(_holds_tensors, beside.values())):  # nothing that could be written to
        return UnpackedOutput(rows, lambda rows: build({**beside, key: rebuild(rows)}))
    return UnpackedOutput(
        rows, lambda rows: build({**{n: _clone_tensors(v) for n, v in beside.items()}, key: rebuild(rows)})
    )


def _build_sequence(kind: type, entries: Iterable[Any]) -> Any:
    """A list or tuple of the output's own type; named tuples take their fields one by one."""
    return kind(entries) if kind in (list, tuple) else kind(*entries)


def select_argument_rows(
    value: Any, row_count: int, indices: Sequence[int], is_latent_list: bool, name: str | None = None
) -> Any:
    """The argument as it is for some rows of the batch.

    Every tensor whose first dimension is the batch follows, anywhere inside lists, tuples and dicts; others do not,
    nor do arguments known to belong to the whole call. Where the latent is a list, so are its companions: a list as
    long as the batch is picked from; so are lists known to hold one entry per sample.
    """
    if name in SHARED_ARGUMENT_NAMES:
        return value
    match value:
        case Tensor() if value.ndim > 0 and value.shape[0] == row_count:
            return value[create_index_tensor(indices, value.device)]
        case list() if len(value) == row_count and (
            name in PER_SAMPLE_ARGUMENT_NAMES or (is_latent_list and _holds_tensors(value))
        ):
            return [value[i] for i in indices]
        case list():
            return [select_argument_rows(entry, row_count, indices, is_latent_list) for entry in value]
        case tuple():
            entries = [select_argument_rows(entry, row_count, indices, is_latent_list) for entry in value]
            return _build_sequence(type(value), entries)
        case dict():
            return {
                key: select_argument_rows(entry, row_count, indices, is_latent_list) for key, entry in value.items()
            }
        case _:
            return value


def _holds_tensors(value: Any) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, list | tuple) and any(map(_holds_tensors, value)))


def _clone_tensors(value: Any) -> Any:
    """Clone the tensors beside the prediction, so that the caller cannot write to the kept ones."""
    match value:
        case Tensor():
            return value.clone()
        case list() | tuple():
            return _build_sequence(type(value), [_clone_tensors(entry) for entry in value])
        case _:
            return value
