"""What a model is called with, row by row."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from navicache.engine.tensors.containers import build_sequence, holds_tensors
from navicache.engine.tensors.rows import create_index_tensor
from navicache.models import PER_SAMPLE_ARGUMENT_NAMES, SHARED_ARGUMENT_NAMES


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
            name in PER_SAMPLE_ARGUMENT_NAMES or (is_latent_list and holds_tensors(value))
        ):
            return [value[i] for i in indices]
        case list():
            return [select_argument_rows(entry, row_count, indices, is_latent_list) for entry in value]
        case tuple():
            entries = [select_argument_rows(entry, row_count, indices, is_latent_list) for entry in value]
            return build_sequence(type(value), entries)
        case dict():
            return {
                key: select_argument_rows(entry, row_count, indices, is_latent_list) for key, entry in value.items()
            }
        case _:
            return value
