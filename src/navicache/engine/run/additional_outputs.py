"""All outputs of the model beside its prediction, and the container that they come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from navicache.engine.decide.gate_monitor import OutputBound
from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.run.additional_output import AdditionalOutput
from navicache.engine.run.difference_predictors import DifferencePredictors
from navicache.engine.run.held_output import can_predict_dtype
from navicache.engine.run.latent_state import LatentState
from navicache.engine.run.outcome_measurement import ComputeWork, measure_error
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.containers import NO_OTHERS, OutputForm, OutputPath, UnpackedOutput, check_form
from navicache.engine.tensors.rows import Rows, clone_rows, have_same_format, list_shapes, take_rows
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.run_tracker import StepPosition
from navicache.policies import Decision
from navicache.records import label_output


@dataclass
class AdditionalOutputs:
    """The additional outputs of a run, by their path in the container; none where the model returns one tensor."""

    streams: StreamCaches  # of the prediction
    by_path: dict[OutputPath, AdditionalOutput] = field(default_factory=dict)
    forms: dict[str, OutputForm] = field(default_factory=dict)  # of a stream's container

    def set_form(self, stream: str, output: UnpackedOutput, is_partial: bool) -> None:
        """This container was returned, for some rows or for all."""
        check_form(self.forms.get(stream), output)
        if not is_partial:
            self.forms[stream] = output.form

    def bound_decisions(self, local_index: int, stream: str, decisions: list[Decision]) -> None:
        """Compute the samples with an output here that the gate would not let be predicted."""
        decider = self.streams.deciders.get_or_create(stream)
        for each in self.by_path.values():
            for sample in each.decide_step(stream, decider.steps):
                if not decisions[sample].compute:
                    decisions[sample] = Decision(True, f"error of {label_output(each.name)}")
                    fields = {"computed": True, "reason": decisions[sample].reason}
                    decider.recorder.amend_fields(local_index, stream, sample, fields)

    def predict_container(self, stream: str, prediction: Rows, latents: Sequence[Rows]) -> Any:
        """The container that the model would return, with everything beside the prediction predicted as well."""
        if not self.by_path:  # by far the most frequent case
            return self.pack_output(stream, prediction, NO_OTHERS)
        self._refer_to_latents(latents)
        outputs = {path: each for path, each in self.by_path.items() if stream in each.held}
        others = {path: _from_rows(each, each.predict_output(stream)) for path, each in outputs.items()}
        return self.pack_output(stream, prediction, others)

    def pack_output(self, stream: str, prediction: Rows, others: Mapping[OutputPath, Rows]) -> Any:
        """The container that the model would return, with these tensors in it."""
        return self.forms[stream].pack_output(prediction, others)

    def store_outputs(
        self, work: ComputeWork, outputs: Mapping[OutputPath, Rows], position: StepPosition, is_leading: bool
    ) -> tuple[dict[OutputPath, Rows], list[PendingOutcome]]:
        """Keep what was computed; return it with predicted rows for other samples, and what it teaches."""
        merged: dict[OutputPath, Rows] = {}
        outcomes: list[PendingOutcome] = []
        for path, output in outputs.items():
            if path not in self.by_path:
                self.by_path[path] = self._create_output(path, output, work.other_latents)
        self._refer_to_latents(work.other_latents)
        for path, output in outputs.items():
            each = self.by_path[path]
            rows, outcome = each.store_output(work, _to_rows(each, output), position, is_leading)
            merged[path] = _from_rows(each, rows)
            outcomes += [] if outcome is None else [outcome]
        return merged, outcomes

    def copy_latents(self, stream: str, call: ModelCall) -> tuple[Rows, ...]:
        """The latents of further outputs from before the model runs; none where the policy adds no latent."""
        is_added = call.other_latents and self.streams.compute_row_weights(stream)[0].input
        return tuple(map(clone_rows, call.other_latents)) if is_added else ()

    def _refer_to_latents(self, latents: Sequence[Rows]) -> None:
        """Predict from these latents: those of this call."""
        for each in self.by_path.values():
            if each.latent_index is not None and latents:
                each.streams.latent_state.refer_to_latent(_to_rows(each, latents[each.latent_index]))

    def _find_latent(self, output: Rows, latents: Sequence[Rows]) -> int | None:
        """The first latent of the output's shape that belongs to no other."""
        taken = {each.latent_index for each in self.by_path.values()}
        fits = (n for n, latent in enumerate(latents) if list_shapes(latent) == list_shapes(output))
        return next((n for n in fits if n not in taken), None)

    def _create_output(self, path: OutputPath, output: Rows, latents: Sequence[Rows]) -> AdditionalOutput:
        decides, count = self.streams, self.streams.batch.row_count
        first, *more = output
        has_batch = bool(more) or (first.ndim > 0 and first.shape[0] == count)
        batch = decides.batch if has_batch else BatchSamples(1, is_layout_known=True)
        predictors, index = DifferencePredictors(decides.scheme.predictor, batch), self._find_latent(output, latents)
        parts = decides.scheme, decides.storage, LatentState(), batch, decides.deciders, predictors
        streams = StreamCaches(*parts, has_latent=index is not None)
        if has_batch and decides.branch_differences is not None:
            streams.set_branch_differences(decides.branch_differences)
        if decides.leader is not None:
            streams.set_leader(decides.leader)
        bound = OutputBound(decides.scheme.gate, batch) if decides.scheme.bounds_outputs else None
        return AdditionalOutput(path, decides, streams, index, bound)

    def measure_true_errors(
        self, truth: PendingOutcome, predictions: Mapping[OutputPath, Rows], outputs: Mapping[OutputPath, Rows]
    ) -> list[PendingOutcome]:
        """Measure how far predictions were off, of the rows that `truth` is about."""
        found: list[PendingOutcome] = []
        for path, each in self.by_path.items():
            if path not in predictions or path not in outputs:
                continue
            prediction, output = (_to_rows(each, made[path]) for made in (predictions, outputs))
            if not can_predict_dtype(output) or not have_same_format(prediction, output):
                continue
            rows = None if each.is_shared else truth.rows
            error = measure_error(take_rows(output, rows), take_rows(prediction, rows))
            places = range(1) if each.is_shared else truth.rows
            found.append(replace(truth, rows=places, readings=error, output_path=path))
        return found

    def learn_outcome(self, pending: PendingOutcome) -> None:
        """Take in what a compute has taught of one of them."""
        if pending.output_path is not None:
            self.by_path[pending.output_path].learn_outcome(pending)

    def set_leader(self, stream: str) -> None:
        """This stream leads the step."""
        for output in self.by_path.values():
            output.streams.set_leader(stream)

    def set_branch_differences(self, branches: BranchDifferences | None) -> None:
        """The samples of the batch are known now, and which of their rows are kept as differences."""
        for output in self.by_path.values():
            output.set_branch_differences(branches)

    def release_tensors(self) -> None:
        """Let all tensors go."""
        for output in self.by_path.values():
            output.release_tensors()


def _to_rows(output: AdditionalOutput, tensors: Rows) -> Rows:
    """A value without a batch is one row."""
    return tuple(chunk.unsqueeze(0) for chunk in tensors) if output.is_shared else tensors


def _from_rows(output: AdditionalOutput, rows: Rows) -> Rows:
    return tuple(chunk.squeeze(0) for chunk in rows) if output.is_shared else rows
