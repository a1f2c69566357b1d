"""Latents and outputs as rows: one tensor with the batch first, or a list of tensors, one per sample.

Both become a tuple of chunks whose first dimension counts rows, so that everything else is written once: a tensor is
one chunk of many rows, a list is many chunks of one row.
"""

import math
from collections.abc import Sequence
from operator import is_

import torch
from torch import Tensor
from torch.linalg import vector_norm

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.device_readings import DeviceReading

Rows = tuple[Tensor, ...]

NO_ROWS: Rows = ()

ALL_DIMENSIONS = tuple(range(64))  # the most a tensor can have
WIDE_DTYPES = (torch.float32, torch.float64)  # sums are taken in these


def count_rows(rows: Rows) -> int:
    """How many rows there are."""
    return sum(chunk.shape[0] for chunk in rows)


def clone_rows(rows: Rows) -> Rows:
    """A copy nobody else can write to: pipelines update latents in place, graphs reuse their outputs."""
    return (rows[0].clone(),) if len(rows) == 1 else tuple(chunk.clone() for chunk in rows)


def move_rows(rows: Rows, device: torch.device | None, dtype: torch.dtype | None) -> Rows:
    """The rows on another device or in another dtype; None leaves as it is."""
    return tuple(chunk.to(device=device, dtype=dtype) for chunk in rows)


def take_rows(rows: Rows, indices: Sequence[int] | None) -> Rows:
    """Some of the rows, in the order asked for; None for all of them."""
    if indices is None:
        return rows
    first, *others = rows
    return tuple(rows[i] for i in indices) if others else (first[create_index_tensor(indices, first.device)],)


def replace_rows(rows: Rows, indices: Sequence[int], part: Rows) -> Rows:
    """The rows with some of them replaced; nothing is written in place."""
    first, *others = rows
    if others:
        replaced = dict(zip(indices, part, strict=True))
        return tuple(replaced.get(i, chunk) for i, chunk in enumerate(rows))
    return (first.index_copy(0, create_index_tensor(indices, first.device), part[0].to(first.dtype)),)


def push_rows(history: Sequence[Rows], indices: Sequence[int], part: Rows) -> list[Rows]:
    """Kept rows, newest first, with some of them moved one place back and new ones in front; what is not kept stays."""
    fresh = [part, *(take_rows(rows, indices) if rows else NO_ROWS for rows in history)]
    pairs = zip(history, fresh, strict=False)
    return [replace_rows(rows, indices, own) if rows else NO_ROWS for rows, own in pairs]


def create_index_tensor(indices: Sequence[int], device: torch.device) -> Tensor:
    """Row numbers on the device; pinned and asynchronous on CUDA, where a plain copy would wait for the queue."""
    host = torch.tensor(indices, dtype=torch.long)
    return host if device.type != "cuda" else host.pin_memory().to(device, non_blocking=True)


def subtract_rows(left: Rows, right: Rows) -> Rows:
    """Row by row difference."""
    if len(left) == 1 and left[0].device == right[0].device:
        return (left[0] - right[0],)
    return tuple([a - (b if b.device == a.device else b.to(a.device)) for a, b in zip(left, right, strict=True)])


def add_rows(left: Rows, right: Rows) -> Rows:
    """Row by row sum."""
    return tuple(a + b for a, b in zip(left, right, strict=True))


def scale_rows(rows: Rows, weights: Sequence[float]) -> Rows:
    """A new copy, every row times one number of its own; a single number counts for all.

    Zero times a row that is NaN or infinite is nothing: it does not count.
    """
    first, *others = rows
    if len(set(weights)) == 1:
        return tuple(chunk * weights[0] for chunk in rows)
    if others:
        pairs = zip(rows, weights, strict=True)
        return tuple(chunk * weight if weight else torch.zeros_like(chunk) for chunk, weight in pairs)
    host = torch.tensor(weights, dtype=first.dtype)
    column = host.pin_memory().to(first.device, non_blocking=True) if first.is_cuda else host
    column = column.view(-1, *[1] * (first.ndim - 1))
    return ((first * column).masked_fill_(column == 0, 0.0),)


def have_same_format(left: Rows, right: Rows) -> bool:
    """Whether both are of the same shapes and dtype and on the same device."""
    forms = ([(chunk.shape, chunk.dtype, chunk.device) for chunk in rows] for rows in (left, right))
    return next(forms) == next(forms)


def measure_mean_abs(rows: Rows, kept_dims: int = 1) -> DeviceReading:
    """Mean absolute value of each row, summed in float32 or better; of one tensor, the host divides."""
    if len(rows) == 1:
        sums = _sum_abs(rows[0], kept_dims)
        return DeviceReading(sums, sums.numel() / (rows[0].numel() or 1))
    return DeviceReading(torch.cat([_sum_abs(chunk, kept_dims) / math.prod(chunk.shape[kept_dims:]) for chunk in rows]))


def measure_mean_abs_by_channel(rows: Rows, channel_dim: int) -> DeviceReading:
    """Mean absolute value of each channel of each row, row by row."""
    return measure_mean_abs(tuple(chunk.movedim(channel_dim, 1) for chunk in rows), 2)


def measure_mean_product(left: Rows, right: Rows) -> DeviceReading:
    """Mean of the product, row by row."""
    parts = []
    for a, b in zip(left, right, strict=True):
        wide = torch.float64 if a.dtype is torch.float64 else torch.float32
        product = (a.to(wide) * b.to(a.device, wide)).unsqueeze(-1)  # of what is kept elsewhere, and of rows of scalars
        parts.append(product.flatten(1).mean(1))
    return DeviceReading(parts[0] if len(parts) == 1 else torch.cat(parts))


def _sum_abs(chunk: Tensor, kept_dims: int) -> Tensor:
    if chunk.ndim == kept_dims:  # rows of scalars: without a dimension torch takes the norm of all
        chunk = chunk.unsqueeze(-1)
    dimensions = ALL_DIMENSIONS[kept_dims : chunk.ndim]
    if chunk.dtype in WIDE_DTYPES:  # naming the dtype it has anyway takes torch longer
        return vector_norm(chunk, 1, dimensions)
    if not chunk.is_floating_point():
        raise CannotCache(
            f"the policy measures distances, and this model is given whole numbers ({chunk.dtype}), such as tokens, "
            'which have none. Cache its blocks with site="blocks": between them it has numbers that can be predicted'
        )
    return vector_norm(chunk, 1, dimensions, dtype=torch.float32)


def compare_values(left: Rows, right: Rows) -> Tensor:
    """A device flag: 1.0 where all values agree."""
    flags = [(a == b.to(a.device)).all() for a, b in zip(left, right, strict=True)]
    return torch.stack(flags).all().float().reshape(1)


def list_shapes(rows: Rows) -> tuple[torch.Size, ...]:
    """Shapes of all chunks."""
    return tuple(chunk.shape for chunk in rows)


def share_memory(left: Rows, right: Rows) -> bool:
    """The same memory: the tensors on the left are held, so an address cannot have been given to others."""
    if len(left) != len(right):
        return False
    if all(map(is_, left, right)):
        return True
    for a, b in zip(left, right, strict=True):
        if (a.data_ptr(), a.shape, a.stride(), a.dtype) != (b.data_ptr(), b.shape, b.stride(), b.dtype):
            return False
    return True
