"""One guidance branch: the computed steps it can be predicted from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.output_moves import sum_output_moves
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.tensors.rows import (
    NO_ROWS,
    Rows,
    clone_rows,
    move_rows,
    push_rows,
    replace_rows,
    scale_rows,
    take_rows,
)
from navicache.engine.tensors.shared_channels import SharedChannels
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import PredictionWeights


class PredictionBase(NamedTuple):
    """What the kept steps contribute to a prediction; it stays from reuse to reuse."""

    weights: PredictionWeights  # it was made with
    rows: Rows
    needs_no_cast: bool  # added to the latent it already is what the model would return


@dataclass
class StreamCache:
    """Kept inputs and outputs, newest first."""

    history_length: int
    storage: StorageOptions
    batch: BatchSamples
    keeps_past_inputs: bool = False  # of older computes too
    has_latent: bool = True  # else no inputs are kept, and predictions are sums of the moves between outputs
    branch_differences: BranchDifferences | None = None  # some rows of kept outputs are differences from others
    computed_steps: list[tuple[int, ...]] = field(init=False)  # local indices of the steps it is predicted from
    history: list[tuple[Rows, Rows]] = field(default_factory=list)
    last_error: Rows = NO_ROWS  # by the prediction of the newest computed step; nothing where that is not made up for
    shares_latent: bool = True  # the kept latent is the run's own copy, which costs this stream nothing
    base: PredictionBase | None = None
    device: torch.device | None = None  # of the model's output
    dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        """Nothing is kept yet."""
        self.computed_steps = self.batch.create_sample_list(())

    def set_branch_differences(self, branches: BranchDifferences | None) -> None:
        """Keep outputs with rows as differences from here on, or (None) as they are; what is kept so far goes along."""
        changes = [] if self.branch_differences is None else [self.branch_differences.from_differences]
        changes += [] if branches is None else [branches.to_differences]
        for change in changes:
            self.history = [(x, change(y)) for x, y in self.history]
        self.branch_differences, self.base = branches, None

    def encode_rows(self, rows: Rows, row_indices: Sequence[int] | None) -> Rows:
        """Outputs of these rows in the form they are kept in."""
        if self.branch_differences is None:
            return rows
        return self.branch_differences.restrict_to_rows(row_indices).to_differences(rows)

    def store_step(
        self, latent: Rows, output: Rows, rows: Sequence[int] | None, prediction_error: Rows, shares_latent: bool
    ) -> None:
        """Keep a computed step for the given rows, None for all; `latent` must be the engine's own copy."""
        self.base, self.shares_latent = None, shares_latent and rows is None
        prediction_error = self._move_to_storage(prediction_error)
        if rows is not None and prediction_error:
            kept = self.last_error or tuple(torch.zeros_like(chunk) for chunk in self.history[0][1])
            prediction_error = replace_rows(kept, rows, prediction_error)
        self.last_error = prediction_error
        own_latent = take_rows(latent, rows) if latent else NO_ROWS
        pair = (self._move_to_storage(own_latent), self._move_to_storage(clone_rows(output)))
        if rows is None:
            self.device, self.dtype = output[0].device, output[0].dtype
            older = [(x if self.keeps_past_inputs else NO_ROWS, y) for x, y in self.history[: self.history_length - 1]]
            self.history = [pair, *older]
            return
        if len(self.history) < self.history_length:
            x, y = self.history[-1]
            self.history.append((x if self.keeps_past_inputs else NO_ROWS, y))
        inputs, outputs = ([entry[side] for entry in self.history] for side in (0, 1))
        self.history = list(zip(push_rows(inputs, rows, pair[0]), push_rows(outputs, rows, pair[1]), strict=True))

    def mark_computed(self, local_index: int, samples: Sequence[int]) -> None:
        """These samples were computed at this step."""
        for sample in samples:
            self.computed_steps[sample] = (local_index, *self.computed_steps[sample])[: self.history_length]

    def drop_references(self, samples: Sequence[int]) -> None:
        """Drop the references of these samples, so that they compute at the next step."""
        for sample in samples:
            self.computed_steps[sample] = ()

    def clear_history_and_switch_form(self, branch_differences: BranchDifferences | None) -> None:
        """Drop all kept steps; store further outputs as these differences between branches, or plainly with None."""
        self.base, self.history, self.branch_differences = None, [], branch_differences
        self.drop_references(range(self.batch.sample_count))

    def clear_last_error(self) -> None:
        """Drop the last prediction error, so that predictions are not corrected by it."""
        self.last_error = NO_ROWS

    def predict_output(self, latent: Rows, weights: Sequence[PredictionWeights], channels: SharedChannels) -> Rows:
        """The output as the weights say, one for all rows or one each; in the dtype and place the model would use."""
        if not self.has_latent:
            return self._sum_moves(weights)
        first, base = weights[0], self.base
        if all(weight == first for weight in weights):
            if base is None or base.weights != first:
                base = self._create_base(first, latent, channels)
            elif base.needs_no_cast and first.input == 1:  # by far the most frequent case, and nothing left to check
                return (base.rows[0] + latent[0],)
            inner = self._add_latent([first.input], latent, base.rows)
        else:
            base_rows = self._sum_references(weights, channels)
            inner = self._add_latent([weight.input for weight in weights], latent, base_rows)
        if channels.width is None:
            return inner
        newest = self._decode_rows(move_rows(self.history[0][1], self.device, None))
        return channels.append_other_channels(inner, newest)

    def _decode_rows(self, rows: Rows) -> Rows:
        return rows if self.branch_differences is None else self.branch_differences.from_differences(rows)

    def _create_base(self, weights: PredictionWeights, latent: Rows, channels: SharedChannels) -> PredictionBase:
        """The base of all rows, worked out once between computes, unless memory is to be saved."""
        rows = self._sum_references([weights], channels)
        x, b = latent[0], rows[0]  # of a shape, dtype and device that stay the same throughout a run
        plain = len(rows) == 1 and x.device == b.device and torch.result_type(x, b) == self.dtype
        base = PredictionBase(weights, rows, plain and channels.width is None)
        again = self.history_length == 1  # along a slope the weights are others at every step
        self.base = base if again and self.storage == StorageOptions() and self.shares_latent else None
        return base

    def _sum_moves(self, weights: Sequence[PredictionWeights]) -> Rows:
        """The prediction without a latent."""
        outputs = [output for _, output in self.history]
        total = sum_output_moves(outputs, self.last_error, weights, self.device, self._wide_dtype)
        return move_rows(self._decode_rows(total), None, self.dtype)

    @property
    def _wide_dtype(self) -> torch.dtype:
        """Sums are taken in float32 or better."""
        return torch.float64 if self.dtype == torch.float64 else torch.float32

    def _sum_references(self, weights: Sequence[PredictionWeights], channels: SharedChannels) -> Rows:
        """What the kept steps contribute."""
        total: Rows | None = None
        for column, kept in self._iterate_weighted_tensors(weights, channels):
            if any(column):
                part = scale_rows(move_rows(kept, self.device, self._wide_dtype), column)
                total = part if total is None else tuple(a.add_(b) for a, b in zip(total, part, strict=True))
        if total is None:
            total = tuple(torch.zeros_like(chunk) for chunk in channels.take_latent_channels(self.history[0][1]))
            return move_rows(total, self.device, self.dtype)
        return move_rows(self._decode_rows(total), self.device, self.dtype)

    def _iterate_weighted_tensors(
        self, weights: Sequence[PredictionWeights], channels: SharedChannels
    ) -> Iterator[tuple[list[float], Rows]]:
        """Every kept tensor that counts, with its weights."""
        depth = max(len(weight.references) for weight in weights)
        for back, (kept_input, kept_output) in zip(range(depth), self.history, strict=False):
            pairs = [weight.references[back] if back < len(weight.references) else (0.0, 0.0) for weight in weights]
            yield [of_output for _, of_output in pairs], channels.take_latent_channels(kept_output)
            if any(of_input for of_input, _ in pairs):
                yield [of_input for of_input, _ in pairs], kept_input
        if self.last_error:
            yield [weight.error_weight for weight in weights], channels.take_latent_channels(self.last_error)

    def _add_latent(self, latent_weights: list[float], latent: Rows, base: Rows) -> Rows:
        if not any(latent_weights):
            return base if self.base is None else clone_rows(base)
        near = tuple(x if x.device == b.device else x.to(b.device) for x, b in zip(latent, base, strict=True))
        if len(set(latent_weights)) == 1:
            sums = [torch.add(b, x, alpha=latent_weights[0]) for b, x in zip(base, near, strict=True)]
        else:
            sums = [b + x for b, x in zip(base, scale_rows(near, latent_weights), strict=True)]
        return tuple(total if total.dtype == self.dtype else total.to(self.dtype) for total in sums)

    def _move_to_storage(self, rows: Rows) -> Rows:
        return rows if self.storage == StorageOptions() else move_rows(rows, self.storage.device, self.storage.dtype)
