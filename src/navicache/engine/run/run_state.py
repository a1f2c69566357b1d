"""The state of one run; a new run starts from a new object."""

from dataclasses import dataclass, field
from typing import Any

from navicache.engine.decide.deciders import StreamDeciders, list_measurements
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.run.additional_outputs import AdditionalOutputs
from navicache.engine.run.latent_channels import find_latent_channels
from navicache.engine.run.latent_state import LatentState
from navicache.engine.run.outcome_measurement import ComputeWork
from navicache.engine.run.pending_outcomes import PendingOutcomes
from navicache.engine.run.result_storage import encode_result, store_result
from navicache.engine.run.short_runs import is_too_short, list_length_notes
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.containers import check_row_count, unpack_output
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import measure_mean_abs, replace_rows, subtract_rows
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.placement import PlacementKind
from navicache.engine.tracking.run_tracker import RunTracker, StepPosition
from navicache.models import ArgumentKey
from navicache.policies import Decision, Scheme

FOLLOWER_DECISIONS = {compute: Decision(compute, "follows") for compute in (True, False)}


@dataclass
class RunState:
    """The state of one run: latent, samples, deciders, computed steps and pending outcomes."""

    scheme: Scheme
    recorder: TraceRecorder
    storage: StorageOptions
    row_count: int
    channel_dim: int | None = None
    bypass_reason: str = ""  # why nothing is reused in this run
    decisions: list[Decision] = field(default_factory=list)  # on the newest step, sample by sample
    latent_state: LatentState = field(default_factory=LatentState)
    batch: BatchSamples = field(init=False)
    deciders: StreamDeciders = field(init=False)
    streams: StreamCaches = field(init=False)
    additional_outputs: AdditionalOutputs = field(init=False)
    pending_outcomes: PendingOutcomes = field(init=False)
    leader_decides: bool = field(init=False)  # one stream decides for all
    measures_signal: bool = field(init=False)  # a signal of the gate's own is measured
    latent_measurements: frozenset[str] = field(init=False)  # changes of the latent that are measured
    decides_by_measurement: bool = field(init=False)  # no step is decided without its measurements
    decides_by_outcome: bool = field(init=False)  # nor without what the computes before it have taught

    def __post_init__(self) -> None:
        """Put the parts together, and look up once what is asked at every call."""
        scheme, gate, reads = self.scheme, self.scheme.gate, bool(self.scheme.gate.reads)
        is_layout_known = self.row_count == 1 or gate.rows == "call" or scheme.site != "model"
        self.batch = BatchSamples(self.row_count, is_layout_known=is_layout_known)
        self.deciders = StreamDeciders(scheme, self.recorder, self.batch, self.channel_dim)
        self.streams = StreamCaches(scheme, self.storage, self.latent_state, self.batch, self.deciders)
        self.additional_outputs = AdditionalOutputs(self.streams)
        parts = self.deciders, self.streams, self.additional_outputs
        self.pending_outcomes = PendingOutcomes(self.recorder, self.batch, *parts, reads)
        self.leader_decides = self.deciders.leader_decides
        self.measures_signal = scheme.signal != "input" and reads
        self.latent_measurements = list_measurements(scheme) if scheme.signal == "input" else frozenset()
        self.decides_by_measurement, self.decides_by_outcome = bool(gate.reads - {"outcome"}), reads

    # -- a step begins ------------------------------------------------------------------------------------------------

    def begin_run(self, call: ModelCall, total: int | None, align_steps: int | None) -> None:
        """Store the latent of the first step, or bypass a run that is too short."""
        for note in list_length_notes(total, align_steps, self.scheme):
            self.recorder.add_note(note)
        if is_too_short(total, align_steps, self.scheme):
            self.bypass_reason = "too few steps"
            return
        self.latent_state.set_latent(call, call.latent)
        self.batch.queue_layout_check(call.latent)

    def measure_latent(self, call: ModelCall, stream: str, is_tentative: bool) -> DeviceReading | None:
        """Measure and take over the latent of a step that this stream leads; the reading is 0 for the same latent."""
        state, names = self.latent_state, self.latent_measurements
        latent = state.take_latent_channels(call.latent)
        needs_change = is_tentative or "since_seen" in names or "by_channel" in names
        change = subtract_rows(latent, state.latent) if needs_change else None
        latent_change = measure_mean_abs(change) if is_tentative and change is not None else None
        if names:
            computed = self.streams.computed_latents if "since_computed" in names else {}
            self.deciders.measure_input(change, latent, stream, computed)
        if not self.batch.is_layout_known:
            self.batch.queue_layout_check(latent)
        state.set_latent(call, latent)  # copied while the device is busy measuring
        return latent_change

    @property
    def needs_transfer(self) -> bool:
        """Whether a step that is not decided by data can only be predicted by numbers that are still on the device."""
        return bool(self.batch.layout_flags) or (self.decides_by_outcome and self.pending_outcomes.affects_next_step)

    def process_fetched_readings(self, kind: PlacementKind, is_latent_measured: bool) -> None:
        """Learn from the fetched readings, now that the kind of the call is known."""
        if is_latent_measured and kind == "follow":  # it was the same step once more
            self.batch.discard_second_check()
            if self.latent_measurements:
                self.deciders.discard_measurements()
        elif is_latent_measured and self.batch.layout_flags:
            self._split_batch()
        if self.pending_outcomes.outcomes or self.pending_outcomes.finite_checks or self.scheme.monitor is not None:
            self.pending_outcomes.learn_outcomes()

    def _split_batch(self) -> None:
        """Split the batch into samples, once two steps have been looked at."""
        layout = self.batch.resolve_layout()
        if self.scheme.difference_predictor is not None and any(len(rows) > 1 for rows in layout):
            self.streams.set_branch_differences(BranchDifferences(layout))
        self.additional_outputs.set_branch_differences(self.streams.branch_differences)

    def set_leader(self, stream: str) -> None:
        """This stream leads the step."""
        self.streams.set_leader(stream)
        self.additional_outputs.set_leader(stream)

    def decide_step(self, tracker: RunTracker, stream: str) -> None:
        """Decide a step; a stream that follows takes over the decisions of the leader."""
        if self.bypass_reason:
            self.recorder.add_decision(tracker.local_index, stream, 0, Decision(True, self.bypass_reason))
        elif self.leader_decides and len(tracker.called_streams) > 1:
            for sample, decision in enumerate(self.decisions):
                self.recorder.add_decision(tracker.local_index, stream, sample, FOLLOWER_DECISIONS[decision.compute])
        else:
            elements = self.latent_state.element_count // len(self.batch.layout)
            decider, shapes_match = self.deciders.get_or_create(stream), self.latent_state.shapes_match
            self.decisions = decider.decide_samples(tracker.position, stream, elements, shapes_match)
            self.additional_outputs.bound_decisions(tracker.local_index, stream, self.decisions)

    # -- compute or predict -------------------------------------------------------------------------------------------

    def plan_work(self, local_index: int, stream: str, call: ModelCall) -> ComputeWork | None:
        """Find the samples to compute: those decided for, and those with no reference. None if all can be predicted."""
        decider, references = self.deciders.get_or_create(stream), self.streams.get_or_create(stream).computed_steps
        samples: list[int] = []
        for sample, decision in enumerate(self.decisions):
            if decision.compute:
                samples.append(sample)
            elif references[sample] and references[sample] == decider.computed_steps[sample]:
                continue  # by far the most frequent case
            elif not decider.can_predict(sample, references[sample]):
                samples.append(sample)
                self.recorder.amend_fields(local_index, stream, sample, {"computed": True, "reason": "no reference"})
        if not samples:
            return None
        latent, rows = self.latent_state.copy_call_latent(call), self.batch.select_rows(samples)
        return ComputeWork(stream, call, latent, samples, rows, self.additional_outputs.copy_latents(stream, call))

    def predict_output(self, stream: str, call: ModelCall) -> Any:
        """A stream's output as it is predicted, in the container the model would return."""
        predicted = self.streams.predict_output(stream, self.latent_state.take_latent_channels(call.latent))
        return self.additional_outputs.predict_container(stream, predicted, call.other_latents)

    def store_result(
        self, work: ComputeWork, result: Any, position: StepPosition, output_key: ArgumentKey | None, is_leading: bool
    ) -> Any:
        """Measure and store the model's output; return it, with predicted rows for the other samples."""
        output, name, rows = unpack_output(result, output_key, work.call.is_latent_list), work.stream, work.rows
        self.additional_outputs.set_form(name, output, is_partial=rows is not None)
        check_row_count(output.rows, self.row_count if rows is None else len(rows))
        streams, work = self.streams, find_latent_channels(self.streams, work, output.rows, self.latent_measurements)
        predicts = bool(streams.get_or_create(name).history) and (is_leading or rows is not None)
        prediction = streams.predict_output(name, work.latent) if predicts else None
        encoded = encode_result(streams, work, output.rows, prediction, position, is_leading)
        self.pending_outcomes.queue_result(work, encoded, output.rows, is_leading)
        others, outcomes = self.additional_outputs.store_outputs(work, output.others, position, is_leading)
        self.pending_outcomes.queue_outcomes(outcomes)
        store_result(streams, work, encoded, shares_latent=work.latent is self.latent_state.latent)
        if rows is None or prediction is None:
            return result
        return self.additional_outputs.pack_output(name, replace_rows(prediction, rows, output.rows), others)

    # -- it goes on, or is over ---------------------------------------------------------------------------------------

    def list_pending_readings(self) -> list[DeviceReading]:
        """All readings that have not crossed."""
        waiting, pending = self.deciders.list_pending_readings(), self.pending_outcomes
        if pending.outcomes or pending.finite_checks:
            waiting += pending.list_pending_readings()
        return waiting + self.batch.list_pending_readings() if self.batch.layout_flags else waiting

    def bypass_run(self, reason: str, note: str) -> None:
        """Compute from here on."""
        self.bypass_reason = reason
        self.recorder.add_note(note)
        self.release_tensors()

    def release_tensors(self) -> None:
        """Let all tensors go but the measurements on their way to the trace."""
        for part in (self.streams, self.additional_outputs, self.latent_state, self.deciders, self.pending_outcomes):
            part.release_tensors()
