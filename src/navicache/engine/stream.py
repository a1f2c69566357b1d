"""One guidance branch: the computed steps it can be predicted from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from navicache.engine.containers import Output, Rebuild
from navicache.engine.fit import Fit
from navicache.engine.layout import Layout
from navicache.engine.rows import Rows, move, own, put, take
from navicache.policies import Coefficient, Weights

NOTHING: Rows = ()


@dataclass(frozen=True)
class Keep:
    """How kept tensors are stored; None as they come.

    The latent of the last step always stays as it is: rounding it would look like a change.
    """

    dtype: torch.dtype | None = None
    device: torch.device | None = None


class Base(NamedTuple):
    """What the kept steps contribute to a prediction; it stays from reuse to reuse."""

    weights: Weights  # it was made with
    rows: Rows
    plain: bool  # added to the latent it already is what the model would return


@dataclass
class Stream:
    """Kept inputs and outputs, newest first, and the way back into the model's own container."""

    order: int
    keep: Keep
    history: list[tuple[Rows, Rows]] = field(default_factory=list)
    computed_at: list[tuple[int, ...]] = field(default_factory=list)  # per sample: steps of the references
    shared: bool = True  # the kept latent is the run's own copy, which costs this stream nothing
    base: Base | None = None
    rebuild: Rebuild | None = None
    device: torch.device | None = None  # of the model's output
    dtype: torch.dtype | None = None
    channel_dim: int | None = None
    keeps_inputs: bool = False  # of older computes too
    apart: bool = False  # what is kept are differences from the leader's outputs
    missed: Rows = NOTHING  # by the prediction of the newest computed step; nothing where that is not made up for

    def remember(self, latent: Rows, output: Output, rows: Sequence[int] | None, missed: Rows = NOTHING) -> None:
        """Keep a computed step for the given rows, None for all; `latent` must be the engine's own copy."""
        self.base, missed = None, self._stored(missed)
        if rows is not None and missed:
            kept = self.missed or tuple(torch.zeros_like(chunk) for chunk in self.history[0][1])
            missed = put(kept, rows, missed)
        self.missed = missed
        pair = (self._stored(take(latent, rows)), self._stored(own(output.rows)))
        if rows is None:
            self.device, self.dtype, self.rebuild = output.rows[0].device, output.rows[0].dtype, output.rebuild
            older = [(x if self.keeps_inputs else NOTHING, y) for x, y in self.history[: self.order - 1]]
            self.history = [pair, *older]
            return
        if len(self.history) < self.order:
            x, y = self.history[-1]
            self.history.append((x if self.keeps_inputs else NOTHING, y))
        inputs, outputs = ([entry[side] for entry in self.history] for side in (0, 1))
        self.history = list(zip(_shifted(inputs, rows, pair[0]), _shifted(outputs, rows, pair[1]), strict=True))

    def packed(self, rows: Rows) -> Any:
        """Rows of the output in the container the model would return."""
        return rows[0] if self.rebuild is None else self.rebuild(rows)

    def predict(self, latent: Rows, weights: Sequence[Weights], layout: Layout, fit: Fit) -> Rows:
        """The output as the weights of each sample say, in the dtype and on the device the model would use."""
        first, base = weights[0], self.base
        if len(weights) == 1 or all(weight == first for weight in weights):
            if base is None or base.weights != first:
                base = self._new_base(first, latent, fit)
            elif base.plain and first.input == 1:  # by far the most frequent case, and nothing left to check
                return (base.rows[0] + latent[0],)
            inner = self._add(first.input, latent, base.rows)
        else:
            parts = [(rows, self._base(weight, rows, fit)) for rows, weight in zip(layout, weights, strict=True)]
            inner = fit.inner(move(own(self.history[0][1]), self.device, self.dtype))
            for (rows, part), weight in zip(parts, weights, strict=True):
                inner = put(inner, rows, self._add(weight.input, take(latent, rows), part))
        return inner if fit.width is None else fit.outer(inner, move(self.history[0][1], self.device, None))

    def _new_base(self, weights: Weights, latent: Rows, fit: Fit) -> Base:
        """The base of all rows, worked out once between computes, unless memory is to be saved."""
        rows = self._base(weights, None, fit)
        x, b = latent[0], rows[0]  # of a shape, dtype and device that stay the same throughout a run
        plain = len(rows) == 1 and x.device == b.device and torch.result_type(x, b) == self.dtype
        base = Base(weights, rows, plain and fit.width is None)
        again = self.order == 1  # along a slope the weights are others at every step
        self.base = base if again and self.keep == Keep() and self.shared else None
        return base

    def _base(self, weights: Weights, rows: Sequence[int] | None, fit: Fit) -> Rows:
        """What the kept steps contribute, summed in float32 or better."""
        wide = torch.float64 if self.dtype == torch.float64 else torch.float32
        total: Rows | None = None
        for weight, kept in self._sources(weights, rows, fit):
            if weight:
                part = tuple(self._scaled(chunk.to(self.device, wide), weight) for chunk in kept)
                total = part if total is None else tuple(a.add_(b) for a, b in zip(total, part, strict=True))
        if total is None:
            total = tuple(torch.zeros_like(chunk) for chunk in fit.inner(take(self.history[0][1], rows)))
        return move(total, self.device, self.dtype)

    def _sources(self, weights: Weights, rows: Sequence[int] | None, fit: Fit) -> Iterator[tuple[Coefficient, Rows]]:
        """Every kept tensor that counts, with its weight."""
        for (of_input, of_output), (kept_input, kept_output) in zip(weights.references, self.history, strict=False):
            yield of_output, fit.inner(take(kept_output, rows))
            if of_input:
                yield of_input, take(kept_input, rows)
        if weights.missed and self.missed:
            yield weights.missed, fit.inner(take(self.missed, rows))

    def _scaled(self, chunk: torch.Tensor, weight: Coefficient) -> torch.Tensor:
        """A kept tensor times one number, or times one a channel."""
        if not isinstance(weight, tuple):
            return chunk * weight
        shape = [1] * chunk.ndim
        shape[self.channel_dim or (2 if chunk.ndim == 3 else 1)] = len(weight)
        host = torch.tensor(weight, dtype=chunk.dtype)
        return chunk * (host.pin_memory() if chunk.is_cuda else host).to(chunk.device, non_blocking=True).view(shape)

    def _add(self, weight: float, latent: Rows, base: Rows) -> Rows:
        if not weight:
            return own(base)
        sums = []
        for kept, chunk in zip(base, latent, strict=True):
            near = chunk if chunk.device == kept.device else chunk.to(kept.device)
            total = torch.add(kept, near, alpha=weight)
            sums.append(total if total.dtype == self.dtype else total.to(self.dtype))
        return tuple(sums)

    def _stored(self, rows: Rows) -> Rows:
        return rows if self.keep == Keep() else move(rows, self.keep.device, self.keep.dtype)


def _shifted(kept: list[Rows], rows: Sequence[int], new: Rows) -> list[Rows]:
    """Kept tensors, newest first, with some rows moved one place back and new ones in front; what is not kept stays."""
    fresh = [new, *(take(chunk, rows) if chunk else NOTHING for chunk in kept)]
    return [put(chunk, rows, part) if chunk else NOTHING for chunk, part in zip(kept, fresh, strict=False)]
