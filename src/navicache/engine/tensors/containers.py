"""What a model returns, taken apart and put together again."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.rows import Rows, count_rows
from navicache.models import ArgumentKey

OutputPath = tuple[Any, ...]  # the keys that lead to a tensor in its container
TensorsByPath = dict[OutputPath, Rows]
RebuildContainer = Callable[[TensorsByPath], Any]

NO_OTHERS: Mapping[OutputPath, Rows] = {}


class OutputForm(NamedTuple):
    """The container of an output, without its tensors."""

    structure: str  # the same throughout a run
    prediction_path: OutputPath
    rebuild_container: RebuildContainer

    def pack_output(self, prediction: Rows, others: Mapping[OutputPath, Rows] = NO_OTHERS) -> Any:
        """The container the model would return, with these tensors in it."""
        return self.rebuild_container({**others, self.prediction_path: prediction})


class UnpackedOutput(NamedTuple):
    """The tensors of an output, and the way back into the same container."""

    rows: Rows  # the first output: the prediction
    form: OutputForm
    others: Mapping[OutputPath, Rows] = NO_OTHERS  # every other tensor


TENSOR_FORM = OutputForm("tensor", (), lambda tensors: tensors[()][0])
ONE_TENSOR_FORM = OutputForm("tuple(0: tensor)", (0,), lambda tensors: tensors[0,])  # rows of a tensor are that tuple


def name_output(path: OutputPath) -> str:
    """As the trace calls an output: "audio_sample" in a dictionary or a dataclass, "1" in a tuple."""
    return ".".join(map(str, path))


def unpack_output(output: Any, output_key: ArgumentKey | None, is_latent_list: bool) -> UnpackedOutput:
    """Find the prediction, and all tensors beside it, in whatever the model returned.

    Args:
        output: tensor, list of tensors, tuple, dict or dataclass, also nested.
        output_key: key or position of the prediction; None takes the first that holds tensors.
        is_latent_list: the latent was a list, so a list of tensors is a batch and not a set of outputs.
    """
    if isinstance(output, Tensor):
        return UnpackedOutput((output,), TENSOR_FORM)
    if type(output) is tuple and len(output) == 1 and isinstance(output[0], Tensor) and output_key in (None, 0):
        return UnpackedOutput(output, ONE_TENSOR_FORM)  # what pipelines ask for
    path, prediction = _find_prediction(output, output_key, is_latent_list)
    batch_length = None if isinstance(prediction, Tensor) else len(prediction)
    tensors: TensorsByPath = {}
    structure, rebuild = _take_apart(output, (), batch_length, tensors)
    return UnpackedOutput(tensors.pop(path), OutputForm(structure, path, rebuild), tensors)


def check_row_count(rows: Rows, expected_count: int) -> None:
    """A model that returns another number of rows than it was given cannot be put together again."""
    if count_rows(rows) != expected_count:
        raise CannotCache(
            f"the model returned {count_rows(rows)} rows for {expected_count}: its output cannot be split by sample. "
            "Name the right arguments with call=CallSpec(latent=..., output=...)"
        )


def check_form(known: OutputForm | None, output: UnpackedOutput) -> None:
    """The first output of a run must be built again, and later ones be built as it: else no reuse can return it."""
    found = output.form
    if known is None:
        _check_container(output)
    elif known.structure != found.structure:
        raise CannotCache(
            f"the model returned {found.structure} after {known.structure} in the same run, so a reused step has no "
            "one form to return. Let it return the same at every step, or cache a function that returns the "
            "prediction alone"
        )


def _check_container(output: UnpackedOutput) -> None:
    try:
        output.form.pack_output(output.rows, output.others)
    except (AttributeError, TypeError, ValueError) as error:
        raise CannotCache(
            f"the model returned {output.form.structure}, which cannot be built again from its entries ({error}): let "
            "it return a tensor, tuple, list, dictionary or dataclass"
        ) from error


def _find_prediction(output: Any, key: ArgumentKey | None, is_latent_list: bool) -> tuple[OutputPath, Any]:
    """The path of the prediction, and the prediction: a tensor, or a list of them where the latent is a list."""
    path: OutputPath = ()
    while not (isinstance(output, Tensor) or (is_latent_list and _is_tensor_list(output))):
        opened = _open_container(output)
        if opened is None or not opened[0]:
            raise CannotCache(
                f"the model returned {type(output).__name__}, which holds no tensor to cache; "
                "say where its prediction is with CallSpec(output=...)"
            )
        fields, names = opened[0], list(opened[0])
        if key is None and not isinstance(output, Sequence):
            key = next((name for name, value in fields.items() if isinstance(value, Tensor | list)), None)
        elif isinstance(key, int) and isinstance(output, Sequence) and -len(names) <= key < len(names):
            key = names[key]
        key = names[0] if key is None else key
        if key not in fields:
            have = ", ".join(map(repr, fields))
            raise CannotCache(f"the model's output has no {key!r}, only {have}: say so with CallSpec(output=...)")
        path, output, key = (*path, key), fields[key], None
    return path, output


def _take_apart(
    value: Any, path: OutputPath, batch_length: int | None, tensors: TensorsByPath
) -> tuple[str, RebuildContainer]:
    """Collect all tensors by path; return the structure and the way back, neither of which holds a tensor."""
    kind = type(value)
    if isinstance(value, Tensor):
        tensors[path] = (value,)
        return "tensor", lambda found: found[path][0]
    if batch_length is not None and _is_tensor_list(value) and len(value) == batch_length:
        tensors[path] = tuple(entry.unsqueeze(0) for entry in value)
        return f"{kind.__name__} of rows", lambda found: build_sequence(kind, [row.squeeze(0) for row in found[path]])
    opened = _open_container(value) if holds_tensors(value) else None
    if opened is None:
        return "value", lambda _: value
    fields, build = opened
    parts = {key: _take_apart(entry, (*path, key), batch_length, tensors) for key, entry in fields.items()}
    structure = ", ".join(f"{key}: {part}" for key, (part, _) in parts.items())
    return f"{kind.__name__}({structure})", lambda found: build({key: part(found) for key, (_, part) in parts.items()})


def _open_container(value: Any) -> tuple[dict[Any, Any], Callable[[dict[Any, Any]], Any]] | None:
    """The entries of a container and the way back; None for anything else."""
    kind = type(value)
    match value:
        case str() | bytes():
            return None
        case Mapping():
            return dict(value), dict if kind is dict else lambda fields: kind(**fields)
        case [*entries]:
            names = getattr(kind, "_fields", range(len(entries)))  # of a named tuple
            return dict(zip(names, entries, strict=True)), lambda fields: build_sequence(kind, fields.values())
        case _ if dataclasses.is_dataclass(kind):
            names = [field.name for field in dataclasses.fields(value)]
            return {name: getattr(value, name) for name in names}, lambda fields: kind(**fields)
        case _:
            return None


def build_sequence(kind: type, entries: Iterable[Any]) -> Any:
    """A list or tuple of the output's own type; named tuples take their fields one by one."""
    return kind(entries) if kind in (list, tuple) else kind(*entries)


def _is_tensor_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(entry, Tensor) for entry in value)


def holds_tensors(value: Any) -> bool:
    """Whether there is a tensor anywhere in a container."""
    if isinstance(value, Tensor):
        return True
    opened = _open_container(value)
    return opened is not None and any(map(holds_tensors, opened[0].values()))
