"""One output of the model beside its prediction, such as the sound of a video: it goes on along a course of its own.

It is computed whenever the prediction is, and predicted from its own computed values, with a damping and amends of its
own, or by its own residual. What cannot be predicted, or has not moved yet, is held.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from navicache.engine.decide.decider import NONFINITE_NOTE
from navicache.engine.decide.gate_monitor import OutputBound
from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.run.held_output import HeldOutput, can_predict_dtype, list_row_formats
from navicache.engine.run.outcome_measurement import ComputeWork, measure_course, measure_error
from navicache.engine.run.result_storage import encode_result, store_result
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.containers import OutputPath, name_output
from navicache.engine.tensors.rows import NO_ROWS, Rows, measure_mean_abs, replace_rows, subtract_rows, take_rows
from navicache.engine.tracking.run_tracker import StepPosition
from navicache.policies import Step

CHANGE_NAME = "change of what is held"


@dataclass
class AdditionalOutput:
    """What is kept of one output, for all streams."""

    path: OutputPath
    decides: StreamCaches  # of the prediction
    streams: StreamCaches  # its own
    latent_index: int | None = None  # of the latent that is added to it, among those beside the first
    bound: OutputBound | None = None  # of a policy that bounds the error of every output
    held: dict[str, HeldOutput] = field(default_factory=dict)  # by stream

    @property
    def name(self) -> str:
        """As the trace calls it."""
        return name_output(self.path)

    @property
    def is_shared(self) -> bool:
        """Whether it belongs to the whole call, not to a row of its batch: then it is kept as one row."""
        return self.streams.batch is not self.decides.batch

    def predict_output(self, stream: str) -> Rows:
        """What a stream's output is predicted as."""
        held = self.held[stream]
        return held.get_rows() if held.rows else self.streams.predict_output(stream, self.streams.latent_state.latent)

    def decide_step(self, stream: str, steps: Sequence[Step]) -> Collection[int]:
        """Ask the gate once; return the samples that it would not let be predicted, none while the output is held."""
        held = self.held.get(stream)
        if self.bound is None or held is None or held.is_fixed:
            return ()
        exceeded = self.bound.decide_step(steps)
        return exceeded if held.has_moved else ()

    def _has_references(self, stream: str) -> bool:
        """Whether anything is kept of a stream; another leader takes from its followers what they had."""
        return bool(self.held[stream].rows or self.streams.get_or_create(stream).history)

    # -- keep ---------------------------------------------------------------------------------------------------------

    def store_output(
        self, work: ComputeWork, output: Rows, position: StepPosition, is_leading: bool
    ) -> tuple[Rows, PendingOutcome | None]:
        """Keep what was computed; return it with predicted rows for the other samples, and what it teaches."""
        stream, rows, before = work.stream, work.rows, None
        if self.is_shared:
            if rows is not None:  # of some samples: it says nothing about all
                return self.predict_output(stream), None
            work = work._replace(samples=[0])
        if stream not in self.held:
            self.held[stream] = self._create_held(output)
        elif self._has_references(stream) and (is_leading or rows is not None):
            before = self.predict_output(stream)
        held = self.held[stream]
        if not held.has_format_of(output, self.streams.batch.row_count, rows):
            return self._change_format(stream, output if rows is None or before is None else before), None
        work = work._replace(latent=self.streams.latent_state.latent)
        outcome = self._measure_and_keep(work, output, before, position, is_leading)
        merged = output if rows is None or before is None else replace_rows(before, rows, output)
        if held.is_fixed or not held.has_moved:
            held.set_rows(merged, self.streams.storage.device)
        return merged, outcome

    def _change_format(self, stream: str, output: Rows) -> Rows:
        """An output whose shape or dtype changes is held from here on."""
        self._fix(stream)
        self.held[stream].set_rows(output, self.streams.storage.device)
        return output

    def _create_held(self, output: Rows) -> HeldOutput:
        scheme = self.streams.scheme
        stays = self.latent_index is None and scheme.predictor.history_length < 2
        is_fixed = stays or not can_predict_dtype(output) or self._has_parted
        return HeldOutput(list_row_formats(output), is_fixed, has_moved=not scheme.gate.reads)

    @property
    def _has_parted(self) -> bool:
        """Whether it is shared by samples that decide apart."""
        return self.is_shared and self.decides.batch.sample_count > 1

    def _fix(self, stream: str) -> None:
        """Hold a stream from here on, and those that are kept as differences from it."""
        streams = [stream, *(self.streams.followers if stream == self.streams.leader else ())]
        newest = {name: self.predict_output(name) if self._has_references(name) else NO_ROWS for name in streams}
        for name, rows in newest.items():
            self.held[name].fix(rows)
            self.streams.forget_stream(name)

    def _measure_and_keep(
        self, work: ComputeWork, output: Rows, before: Rows | None, position: StepPosition, is_leading: bool
    ) -> PendingOutcome | None:
        held, streams = self.held[work.stream], self.streams
        stream, decider = streams.get_or_create(work.stream), streams.deciders.get_or_create(work.stream)
        rows = range(streams.batch.row_count) if work.rows is None else work.rows
        since = [steps or None for steps in stream.computed_steps]
        before = before if is_leading and can_predict_dtype(output) else None
        error = {} if before is None else measure_error(output, take_rows(before, work.rows))
        if held.is_fixed:
            stream.mark_computed(position.local_index, work.samples)
            return PendingOutcome(position, work.stream, rows, since, error, "truth", self.path) if error else None
        result = encode_result(streams, work, output, before, position, is_leading)
        readings = error | measure_course(work, result, decider, stream, streams.latent_state)
        if held.rows:
            readings[CHANGE_NAME] = measure_mean_abs(subtract_rows(output, take_rows(held.rows, work.rows)))
        store_result(streams, work, result, shares_latent=False)
        subject = "output" if is_leading else "difference"
        return PendingOutcome(position, work.stream, rows, since, readings, subject, self.path)

    # -- learn --------------------------------------------------------------------------------------------------------

    def learn_outcome(self, pending: PendingOutcome) -> None:
        """Take in what a compute has taught of this output; its readings have arrived."""
        streams, recorder = self.streams, self.streams.deciders.recorder
        for sample, rows in enumerate(streams.batch.layout):
            own_rows = rows if streams.branch_differences is None else rows[:1]
            outcome = pending.build_outcome(sample, own_rows, recorder.to_run_index)
            if outcome is None:
                continue
            if outcome.prediction_error is not None:
                place = outcome.local_index, pending.stream, sample
                recorder.amend_output_error(*place, self.name, outcome.prediction_error)
            if pending.subject == "output":
                streams.learn_first_row(pending.stream, sample, outcome)
                if self.bound is not None:
                    self.bound.learn_outcome(sample, outcome)
                streams.learn_branch_rows(pending, sample)
            elif pending.stream in streams.followers:
                streams.learn_difference(pending.stream, sample, outcome)
        if pending.subject != "truth" and pending.stream in self.held:
            self._update_held(pending, self.held[pending.stream])

    def _update_held(self, pending: PendingOutcome, held: HeldOutput) -> None:
        """Let go of what moves, and never carry on what is not finite."""
        samples = enumerate(self.streams.batch.layout)
        broken = [sample for sample, rows in samples if pending.has_nonfinite_output(rows)]
        if broken and not held.was_finite:  # a mask, perhaps
            self._fix(pending.stream)
        elif broken:
            self.streams.deciders.recorder.add_note(NONFINITE_NOTE)
            for streams in (self.streams, self.decides):
                streams.get_or_create(pending.stream).drop_references(broken)
        else:
            held.mark_finite()
        change = pending.readings.get(CHANGE_NAME)
        if change is not None and any(value > 0 for value in change.values) and not held.is_fixed:
            held.mark_moved()

    # -- the run goes on ----------------------------------------------------------------------------------------------

    def set_branch_differences(self, branches: BranchDifferences | None) -> None:
        """The samples of the batch are known now, and which of their rows are kept as differences."""
        if self._has_parted:
            for stream in self.held:
                self._fix(stream)
        elif branches is not None and not self.is_shared:
            self.streams.set_branch_differences(branches)

    def release_tensors(self) -> None:
        """Let all tensors go."""
        self.streams.release_tensors()
        self.held = {}
