"""One guidance branch: the computed steps it can be predicted from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from navicache.engine.containers import Output, Rebuild
from navicache.engine.fit import Fit
from navicache.engine.layout import Layout
from navicache.engine.rows import Rows, move, own, put, take
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
    device: torch.device | None = None  # of the model's output
    dtype: torch.dtype | None = None

    def remember(self, latent: Rows, output: Output, rows: Sequence[int] | None) -> None:
        """Keep a computed step for the given rows, None for all; `latent` must be the engine's own copy."""
        pair = (self._stored(take(latent, rows)), self._stored(own(output.rows)))
        if rows is None:
            self.device, self.dtype, self.rebuild = output.rows[0].device, output.rows[0].dtype, output.rebuild
            self.history = [pair, *self.history[: self.order - 1]]
            return
        older = [(take(x, rows), take(y, rows)) for x, y in self.history]
        for depth, (kept, new) in enumerate(zip(self.history, [pair, *older], strict=False)):
            self.history[depth] = (put(kept[0], rows, new[0]), put(kept[1], rows, new[1]))

    def predict(self, latent: Rows, weights: Sequence[Weights], layout: Layout, fit: Fit) -> Rows:
        """The output as the weights of each sample say, in the dtype and on the device the model would use."""
        rows = self._combine(latent, weights[0], None, fit)
        for sample, weight in enumerate(weights):
            if weight != weights[0]:
                part = self._combine(take(latent, layout[sample]), weight, layout[sample], fit)
                rows = put(rows, layout[sample], part)
        return rows

    def _combine(self, latent: Rows, weights: Weights, rows: Sequence[int] | None, fit: Fit) -> Rows:
        # Outputs first: they have the dtype to start from.
        terms = [(weights.input, latent)]
        for (of_input, of_output), (kept_input, kept_output) in zip(weights.references, self.history, strict=False):
            terms.insert(0, (of_output, fit.inner(take(kept_output, rows))))
            terms.append((of_input, take(kept_input, rows)))
        used = [term for term in terms if term[0]]
        inner = tuple(self._sum([(weight, chunks[i]) for weight, chunks in used]) for i in range(len(latent)))
        return inner if fit.width is None else fit.outer(inner, move(take(self.history[0][1], rows), self.device, None))

    def _sum(self, terms: list[tuple[float, Tensor]]) -> Tensor:
        """Add up in float32 or better, into one new tensor."""
        (weight, tensor), *others = terms
        wide = torch.float64 if self.dtype == torch.float64 else torch.float32
        total = tensor.to(self.device, wide)
        if weight != 1 or not others:
            total = total * weight
        for position, (weight, tensor) in enumerate(others):
            other = tensor.to(self.device)
            total = torch.add(total, other, alpha=weight) if position == 0 else total.add_(other, alpha=weight)
        return total.to(self.dtype)

    def _stored(self, rows: Rows) -> Rows:
        return rows if self.keep == Keep() else move(rows, self.keep.device, self.keep.dtype)
