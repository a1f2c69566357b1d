"""The state of one run; a new run starts from a new object."""

from dataclasses import dataclass, field
from typing import Any

from navicache.engine.decide.deciders import StreamDeciders, list_measurements
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.errors import CannotCache
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.stream_cache import NO_ROWS, StorageOptions
from navicache.engine.run.latent_state import LatentState
from navicache.engine.run.outcome_measurement import ComputeResult, ComputeWork
from navicache.engine.run.pending_outcomes import PendingOutcomes
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.containers import UnpackedOutput, check_row_count, unpack_output
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import Rows, measure_mean_abs, replace_rows, subtract_rows
from navicache.engine.tensors.shared_channels import find_shared_channels
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
    pending_outcomes: PendingOutcomes = field(init=False)
    leader_decides: bool = field(init=False)  # one stream decides for all
    measures_signal: bool = field(init=False)  # a signal of the gate's own is measured
    latent_measurements: frozenset[str] = field(init=False)  # changes of the latent that are measured
    decides_by_measurement: bool = field(init=False)  # no step is decided without its measurements
    decides_by_outcome: bool = field(init=False)  # nor without what the computes before it have taught

    def __post_init__(self) -> None:
        """Put the parts together, and look up once what is asked at every call."""
        scheme, gate = self.scheme, self.scheme.gate
        self.batch = BatchSamples(
            self.row_count, is_layout_known=self.row_count == 1 or gate.rows == "call" or scheme.site != "model"
        )
        self.deciders = StreamDeciders(scheme, self.recorder, self.batch, self.channel_dim)
        self.streams = StreamCaches(scheme, self.storage, self.latent_state, self.batch, self.deciders)
        self.pending_outcomes = PendingOutcomes(
            self.recorder, self.batch, self.deciders, self.streams, bool(gate.reads)
        )
        self.leader_decides, self.measures_signal = (
            self.deciders.leader_decides,
            scheme.signal != "input" and bool(gate.reads),
        )
        self.latent_measurements = list_measurements(scheme) if scheme.signal == "input" else frozenset()
        self.decides_by_measurement, self.decides_by_outcome = bool(gate.reads - {"outcome"}), bool(gate.reads)

    # -- a step begins ------------------------------------------------------------------------------------------------

    def begin_run(self, call: ModelCall, total: int | None, align_steps: int) -> None:
        """Store the latent of the first step, or bypass a run that is too short."""
        if total is None and self.scheme.computes_last_step:
            self.recorder.add_note(
                "the number of steps is unknown, so the last one is not forced: enable(..., steps=N)"
            )
        if total is not None and total < max(align_steps + 3, self.scheme.min_total_steps):
            self._bypass_short_run(total, align_steps)
        else:
            self.latent_state.set_latent(call, call.latent)
            self.batch.queue_layout_check(call.latent)

    def measure_latent(self, call: ModelCall, stream: str, is_tentative: bool) -> DeviceReading | None:
        """Measure and take over the latent of a step that this stream leads; the reading is 0 for the same latent."""
        seen, reads, latent = (
            self.latent_state,
            self.latent_measurements,
            self.latent_state.take_latent_channels(call.latent),
        )
        change = (
            subtract_rows(latent, seen.latent)
            if is_tentative or "since_seen" in reads or "by_channel" in reads
            else None
        )
        moved = measure_mean_abs(change) if is_tentative and change is not None else None
        if reads:
            self.deciders.measure_input(
                change, latent, stream, self.streams.computed_latents if "since_computed" in reads else {}
            )
        if not self.batch.is_layout_known:
            self.batch.queue_layout_check(latent)
        seen.set_latent(call, latent)  # copied while the device is busy measuring
        return moved

    @property
    def needs_transfer(self) -> bool:
        """Whether a step that is not decided by data can only be predicted by numbers that are still on the device."""
        return bool(self.batch.layout_flags) or (self.decides_by_outcome and self.pending_outcomes.affects_next_step)

    def process_fetched_readings(self, kind: PlacementKind, is_latent_measured: bool) -> None:
        """Take in what has crossed, now that the kind of the call is known; `looked`: the latent was measured."""
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

    def decide_step(self, tracker: RunTracker, stream: str) -> None:
        """The verdicts of a step: new ones, or the leader's for those who follow."""
        if self.bypass_reason:
            self.recorder.add_decision(tracker.local_index, stream, 0, Decision(True, self.bypass_reason))
        elif self.leader_decides and len(tracker.called_streams) > 1:
            for sample, verdict in enumerate(self.decisions):
                self.recorder.add_decision(tracker.local_index, stream, sample, FOLLOWER_DECISIONS[verdict.compute])
        else:
            elements = self.latent_state.element_count // len(self.batch.layout)
            self.decisions = self.deciders.get_or_create(stream).decide_samples(
                tracker.position, stream, elements, self.latent_state.shapes_match
            )

    # -- compute or predict -------------------------------------------------------------------------------------------

    def plan_work(self, local_index: int, stream: str, call: ModelCall) -> ComputeWork | None:
        """Find what the model has to compute, None if all samples can be predicted; called before the model runs.

        To compute are the samples decided for, and those with no reference from the last computed step.
        """
        decider, references = self.deciders.get_or_create(stream), self.streams.get_or_create(stream).computed_steps
        samples: list[int] = []
        for sample, verdict in enumerate(self.decisions):
            if verdict.compute:
                samples.append(sample)
            elif (
                references[sample] and references[sample] == decider.computed_steps[sample]
            ):  # by far the most frequent
                continue
            elif not decider.can_predict(sample, references[sample]):
                samples.append(sample)
                self.recorder.amend_fields(local_index, stream, sample, {"computed": True, "reason": "no reference"})
        return (
            ComputeWork(
                stream, call, self.latent_state.copy_call_latent(call), samples, self.batch.select_rows(samples)
            )
            if samples
            else None
        )

    def predict_output(self, stream: str, call: ModelCall) -> Any:
        """A stream's output as it is predicted, in the container the model would return."""
        return self.streams.get_or_create(stream).pack_output(
            self.streams.predict_output(stream, self.latent_state.take_latent_channels(call.latent))
        )

    def store_result(
        self, work: ComputeWork, result: Any, position: StepPosition, output_key: ArgumentKey | None, is_leading: bool
    ) -> Any:
        """Measure and store the model's output; return it, with predicted rows for the other samples."""
        output, name, rows = unpack_output(result, output_key, work.call.is_latent_list), work.stream, work.rows
        check_row_count(output, self.row_count if rows is None else len(rows))
        latent = work.latent if self.latent_state.are_channels_known else self._find_latent_channels(work, output)
        streams, stream = self.streams, self.streams.get_or_create(name)
        guess = streams.predict_output(name, latent) if stream.history and (is_leading or rows is not None) else None
        if not is_leading and rows is None:
            streams.adopt_follower(name, output.rows)
        kept = streams.encode_output(name, output.rows, rows)
        mends = bool(stream.history) and streams.corrects_errors(name, is_leading)
        missed = streams.compute_prediction_error(name, latent, kept, guess, rows) if mends else NO_ROWS
        self.pending_outcomes.queue_result(
            work, ComputeResult(position, latent, kept, guess, missed), output.rows, is_leading
        )
        stream.store_step(
            latent, output._replace(rows=kept), rows, missed, shares_latent=latent is self.latent_state.latent
        )
        stream.mark_computed(position.local_index, work.samples)
        return result if rows is None or guess is None else stream.pack_output(replace_rows(guess, rows, output.rows))

    def _find_latent_channels(self, work: ComputeWork, output: UnpackedOutput) -> Rows:
        """Find out from the first output how the latent lies in input and output; returns its part of the input."""
        try:
            found = find_shared_channels(work.call.latent, output.rows)
        except CannotCache:
            weights = self.deciders.get_or_create(work.stream).compute_weights(
                self.streams.get_or_create(work.stream).computed_steps
            )
            if "by_channel" in self.latent_measurements or any(
                w.input or any(x for x, _ in w.references) for w in weights
            ):
                raise
            found = None
        latent = self.latent_state.set_shared_channels(found, work.latent)
        if self.latent_state.shared_channels.width is not None:
            self.batch.restart_layout_check(self.latent_state.latent)
        return latent

    # -- it goes on, or is over ---------------------------------------------------------------------------------------

    def list_pending_readings(self) -> list[DeviceReading]:
        """All readings that have not crossed."""
        waiting = self.deciders.list_pending_readings()
        if self.pending_outcomes.outcomes or self.pending_outcomes.finite_checks:
            waiting += self.pending_outcomes.list_pending_readings()
        return waiting + self.batch.list_pending_readings() if self.batch.layout_flags else waiting

    def _bypass_short_run(self, total: int, align_steps: int) -> None:
        self.bypass_reason = "too few steps"
        why = f"a run of {total} steps has hardly one to spare (a target of your own, speedup=..., would insist)"
        if total < align_steps + 3:
            why = f"{total} steps leave next to nothing to reuse after {align_steps} to align"
        self.recorder.add_note(f"{why}: stepped aside, every step is computed")

    def bypass_diverged_ranks(self) -> None:
        """Compute from here on: that is what the other ranks do as well."""
        self.bypass_reason = "ranks apart"
        self.recorder.add_note("ranks of the group were not at the same step: every step was computed from there on")
        self.release_tensors()

    def release_tensors(self) -> None:
        """Let all tensors go but the measurements on their way to the trace."""
        for part in (self.streams, self.latent_state, self.deciders, self.pending_outcomes):
            part.release_tensors()
