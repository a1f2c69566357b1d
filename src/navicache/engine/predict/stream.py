"""One guidance branch: the computed steps it can be predicted from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from navicache.engine.predict.branches import Branches
from navicache.engine.tensors.containers import Output, Rebuild
from navicache.engine.tensors.fit import Fit
from navicache.engine.tensors.rows import Rows, move, own, put, scaled, take
from navicache.engine.tracking.batch import Batch
from navicache.policies import Weights

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
    batch: Batch
    keeps_inputs: bool = False  # of older computes too
    branches: Branches | None = None  # some rows of kept outputs are differences from others
    computed_at: list[tuple[int, ...]] = field(init=False)  # own indices of the steps it is predicted from
    history: list[tuple[Rows, Rows]] = field(default_factory=list)
    missed: Rows = NOTHING  # by the prediction of the newest computed step; nothing where that is not made up for
    shared: bool = True  # the kept latent is the run's own copy, which costs this stream nothing
    base: Base | None = None
    rebuild: Rebuild | None = None
    device: torch.device | None = None  # of the model's output
    dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        """Nothing is kept yet."""
        self.computed_at = self.batch.per_sample(())

    def part(self, branches: Branches | None) -> None:
        """Keep outputs with rows as differences from here on, or (None) as they are; what is kept so far goes along."""
        changes = [old.join for old in (self.branches,) if old] + [new.part for new in (branches,) if new]
        for change in changes:
            self.history = [(x, change(y)) for x, y in self.history]
        self.branches, self.base = branches, None

    def kept(self, rows: Rows, which: Sequence[int] | None) -> Rows:
        """Outputs of these rows in the form they are kept in."""
        return rows if self.branches is None else self.branches.among(which).part(rows)

    def remember(self, latent: Rows, output: Output, rows: Sequence[int] | None, missed: Rows, shared: bool) -> None:
        """Keep a computed step for the given rows, None for all; `latent` must be the engine's own copy."""
        self.base, self.shared, missed = None, shared and rows is None, self._stored(missed)
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

    def computed(self, own_index: int, samples: Sequence[int]) -> None:
        """These samples were computed at this step."""
        for sample in samples:
            self.computed_at[sample] = (own_index, *self.computed_at[sample])[: self.order]

    def doubt(self, samples: Sequence[int]) -> None:
        """Without a reference a stream computes, whatever the leader does."""
        for sample in samples:
            self.computed_at[sample] = ()

    def forget(self, branches: Branches | None) -> None:
        """Begin anew, in this form: what is kept is of no use any more."""
        self.base, self.history, self.branches = None, [], branches
        self.doubt(range(self.batch.samples))

    def forgive(self) -> None:
        """Make no amends for what was missed."""
        self.missed = NOTHING

    def packed(self, rows: Rows) -> Any:
        """Rows of the output in the container the model would return."""
        return rows[0] if self.rebuild is None else self.rebuild(rows)

    def predict(self, latent: Rows, weights: Sequence[Weights], fit: Fit) -> Rows:
        """The output as the weights say, one for all rows or one each; in the dtype and place the model would use."""
        first, base = weights[0], self.base
        if all(weight == first for weight in weights):
            if base is None or base.weights != first:
                base = self._new_base(first, latent, fit)
            elif base.plain and first.input == 1:  # by far the most frequent case, and nothing left to check
                return (base.rows[0] + latent[0],)
            inner = self._add([first.input], latent, base.rows)
        else:
            inner = self._add([weight.input for weight in weights], latent, self._base(weights, fit))
        return inner if fit.width is None else fit.outer(inner, self._newest())

    def _newest(self) -> Rows:
        rows = move(self.history[0][1], self.device, None)
        return rows if self.branches is None else self.branches.join(rows)

    def _new_base(self, weights: Weights, latent: Rows, fit: Fit) -> Base:
        """The base of all rows, worked out once between computes, unless memory is to be saved."""
        rows = self._base([weights], fit)
        x, b = latent[0], rows[0]  # of a shape, dtype and device that stay the same throughout a run
        plain = len(rows) == 1 and x.device == b.device and torch.result_type(x, b) == self.dtype
        base = Base(weights, rows, plain and fit.width is None)
        again = self.order == 1  # along a slope the weights are others at every step
        self.base = base if again and self.keep == Keep() and self.shared else None
        return base

    def _base(self, weights: Sequence[Weights], fit: Fit) -> Rows:
        """What the kept steps contribute, summed in float32 or better."""
        wide = torch.float64 if self.dtype == torch.float64 else torch.float32
        total: Rows | None = None
        for column, kept in self._sources(weights, fit):
            if any(column):
                part = scaled(move(kept, self.device, wide), column)
                total = part if total is None else tuple(a.add_(b) for a, b in zip(total, part, strict=True))
        if total is None:
            total = tuple(torch.zeros_like(chunk) for chunk in fit.inner(self.history[0][1]))
        elif self.branches is not None:
            total = self.branches.join(total)
        return move(total, self.device, self.dtype)

    def _sources(self, weights: Sequence[Weights], fit: Fit) -> Iterator[tuple[list[float], Rows]]:
        """Every kept tensor that counts, with its weights."""
        depth = max(len(weight.references) for weight in weights)
        for back, (kept_input, kept_output) in zip(range(depth), self.history, strict=False):
            pairs = [weight.references[back] if back < len(weight.references) else (0.0, 0.0) for weight in weights]
            yield [of_output for _, of_output in pairs], fit.inner(kept_output)
            if any(of_input for of_input, _ in pairs):
                yield [of_input for of_input, _ in pairs], kept_input
        if self.missed:
            yield [weight.missed for weight in weights], fit.inner(self.missed)

    def _add(self, weights: list[float], latent: Rows, base: Rows) -> Rows:
        if not any(weights):
            return base if self.base is None else own(base)
        near = tuple(x if x.device == b.device else x.to(b.device) for x, b in zip(latent, base, strict=True))
        if len(set(weights)) == 1:
            sums = [torch.add(b, x, alpha=weights[0]) for b, x in zip(base, near, strict=True)]
        else:
            sums = [b + x for b, x in zip(base, scaled(near, weights), strict=True)]
        return tuple(total if total.dtype == self.dtype else total.to(self.dtype) for total in sums)

    def _stored(self, rows: Rows) -> Rows:
        return rows if self.keep == Keep() else move(rows, self.keep.device, self.keep.dtype)


def _shifted(kept: list[Rows], rows: Sequence[int], new: Rows) -> list[Rows]:
    """Kept tensors, newest first, with some rows moved one place back and new ones in front; what is not kept stays."""
    fresh = [new, *(take(chunk, rows) if chunk else NOTHING for chunk in kept)]
    return [put(chunk, rows, part) if chunk else NOTHING for chunk, part in zip(kept, fresh, strict=False)]
