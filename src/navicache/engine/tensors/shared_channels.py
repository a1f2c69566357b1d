"""How the latent lies within the model's input and output."""

from dataclasses import dataclass

import torch

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.rows import Rows


@dataclass(frozen=True)
class SharedChannels:
    """The part input and output have in common: the first `width` channels along `dim`.

    Image-to-video models append condition channels to the input; models that learn a variance append it to the
    output. Neither belongs to the latent.
    """

    dim: int = 1
    width: int | None = None  # None: all of it

    def take_latent_channels(self, rows: Rows) -> Rows:
        """The latent part of an input or output."""
        if self.width is None:
            return rows
        return tuple(chunk.narrow(self.dim, 0, self.width) for chunk in rows)

    def append_other_channels(self, inner: Rows, output: Rows) -> Rows:
        """A predicted latent part, completed by whatever else the last output had."""
        if self.width is None or all(chunk.shape[self.dim] == self.width for chunk in output):
            return inner
        rest = [chunk.narrow(self.dim, self.width, chunk.shape[self.dim] - self.width) for chunk in output]
        return tuple(torch.cat([a, b.to(a.dtype)], self.dim) for a, b in zip(inner, rest, strict=True))


def find_shared_channels(latent: Rows, output: Rows) -> SharedChannels:
    """Compare shapes: equal, or different along one dimension, which then holds the channels."""
    pairs = zip(latent, output, strict=False)
    dims = {_find_differing_dim(x.shape, y.shape) for x, y in pairs} if len(latent) == len(output) else {0}
    if dims == {None}:
        return SharedChannels()
    dim = dims.pop()
    if dims or dim is None or dim == 0:
        raise CannotCache(
            f"the latent has shape {tuple(latent[0].shape)}, the output {tuple(output[0].shape)}: their difference "
            "means nothing. Name the right arguments with call=CallSpec(latent=..., output=...)"
        )
    return SharedChannels(dim, min(latent[0].shape[dim], output[0].shape[dim]))


def _find_differing_dim(left: torch.Size, right: torch.Size) -> int | None:
    dims = [d for d, (a, b) in enumerate(zip(left, right, strict=False)) if a != b]
    if len(left) == len(right) and len(dims) <= 1:
        return dims[0] if dims else None
    return 0
