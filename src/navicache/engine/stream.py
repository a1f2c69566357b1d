"""One guidance branch: the computed steps it can be predicted from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from navicache.engine.containers import Output, Rebuild
from navicache.engine.fit import Fit
from navicache.engine.rows import Rows, count, move, own, put, take
from navicache.policies import Weights


@dataclass(frozen=True)
class Keep:
    """How kept tensors are stored; None as they come.

    The latent of the last step always stays as it is: rounding it would look like a change.
    """

    dtype: torch.dtype | None = None
    device: torch.device | None = None


@dataclass
class Stream:
    """Kept inputs and outputs, newest first, and the way back into the model's own container."""

    order: int
    keep: Keep
    history: list[tuple[Rows, Rows]] = field(default_factory=list)
    computed_at: list[int | None] = field(default_factory=list)  # per sample: step of the newest reference
    rebuild: Rebuild | None = None
    like: tuple[torch.device, torch.dtype] | None = None

    def remember(self, latent: Rows, output: Output, rows: Sequence[int], whole: int) -> None:
        """Keep a computed step for the given rows; `latent` must already be the engine's own copy."""
        pair = (self._stored(take(latent, rows)), self._stored(own(output.rows)))
        self.like = (output.rows[0].device, output.rows[0].dtype)
        if len(rows) == whole:
            self.rebuild = output.rebuild
            self.history = [pair, *self.history[: self.order - 1]]
            return
        older = [tuple(take(side, rows) for side in kept) for kept in self.history]
        for depth, (kept, new) in enumerate(zip(self.history, [pair, *older], strict=False)):
            self.history[depth] = (put(kept[0], rows, new[0]), put(kept[1], rows, new[1]))

    def predict(self, latent: Rows, weights: Sequence[Weights], layout: Sequence[Sequence[int]], fit: Fit) -> Rows:
        """The output as the weights of each sample say, in the dtype and on the device the model would use."""
        if len(set(weights)) == 1:
            return self._combine(latent, weights[0], range(count(latent)), fit)
        rows = self._combine(latent, weights[0], range(count(latent)), fit)
        for sample, weight in enumerate(weights):
            part = self._combine(take(latent, layout[sample]), weight, layout[sample], fit)
            rows = put(rows, layout[sample], part)
        return rows

    def _combine(self, latent: Rows, weights: Weights, rows: Sequence[int], fit: Fit) -> Rows:
        terms: list[tuple[float, Rows]] = []
        for (of_input, of_output), (kept_input, kept_output) in zip(weights.references, self.history, strict=False):
            terms += [(of_output, fit.inner(take(kept_output, rows))), (of_input, take(kept_input, rows))]
        terms.insert(1, (weights.input, latent))
        device, dtype = self.like or (latent[0].device, latent[0].dtype)
        used = [(weight, chunks) for weight, chunks in terms if weight]
        inner = tuple(
            _weighted_sum([(weight, chunks[i]) for weight, chunks in used], device).to(dtype)
            for i in range(len(latent))
        )
        return fit.outer(inner, move(take(self.history[0][1], rows), device, None))

    def _stored(self, rows: Rows) -> Rows:
        return move(rows, self.keep.device, self.keep.dtype)


def _weighted_sum(terms: list[tuple[float, Tensor]], device: torch.device) -> Tensor:
    weight, tensor = terms[0]
    total = tensor.to(device, torch.promote_types(tensor.dtype, torch.float32))
    if weight != 1 or len(terms) == 1:
        total = total * weight
    for position, (weight, tensor) in enumerate(terms[1:]):
        other = tensor.to(device)
        # The first sum makes a new tensor; the rest may add into it.
        total = torch.add(total, other, alpha=weight) if position == 0 else total.add_(other, alpha=weight)
    return total
