"""Outcomes that are not learnt yet: they wait on the device until the next decision fetches them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from navicache.engine.decide.decider import NONFINITE_NOTE
from navicache.engine.decide.deciders import StreamDeciders
from navicache.engine.decide.pending_outcome import FiniteCheck, PendingOutcome
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.run.additional_outputs import AdditionalOutputs
from navicache.engine.run.outcome_measurement import (
    ComputeResult,
    ComputeWork,
    measure_course,
    measure_output_change,
)
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.containers import name_output
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import Rows, measure_mean_abs
from navicache.engine.tracking.batch_samples import BatchSamples


@dataclass
class PendingOutcomes:
    """The outcomes of a run that are not learnt yet, oldest first."""

    recorder: TraceRecorder
    batch: BatchSamples
    deciders: StreamDeciders
    streams: StreamCaches
    additional_outputs: AdditionalOutputs
    checks_followers: bool  # readings arrive before the next decision, so that a nonfinite output is known in time
    outcomes: list[PendingOutcome] = field(default_factory=list)
    finite_checks: list[FiniteCheck] = field(default_factory=list)

    def queue_result(self, work: ComputeWork, compute_result: ComputeResult, outputs: Rows, is_leading: bool) -> None:
        """Queue the outcome of the leader, or of a follower's difference with a check that its output is finite."""
        decider, stream = self.deciders.get_or_create(work.stream), self.streams.get_or_create(work.stream)
        latent_state, rows = self.streams.latent_state, range(self.batch.row_count)
        if is_leading:
            self.outcomes.append(measure_output_change(work, compute_result, decider, stream, latent_state, rows))
            decider.mark_computed(compute_result.position.local_index, work.samples)
            return
        own_rows = rows if work.rows is None else work.rows
        if work.stream in self.streams.followers and stream.history:
            readings = measure_course(work, compute_result, decider, stream, latent_state)
            since = [steps or None for steps in stream.computed_steps]
            place = compute_result.position, work.stream, own_rows
            self.outcomes.append(PendingOutcome(*place, since, readings, "difference"))
        if self.checks_followers:
            self.finite_checks.append(FiniteCheck(work.stream, own_rows, measure_mean_abs(outputs)))

    def queue_outcomes(self, outcomes: Sequence[PendingOutcome]) -> None:
        """Learn these as well, when they have crossed."""
        self.outcomes += outcomes

    @property
    def affects_next_step(self) -> bool:
        """Whether the next decision or prediction depends on a pending outcome."""
        return bool(self.finite_checks) or any(pending.subject != "truth" for pending in self.outcomes)

    def list_pending_readings(self) -> list[DeviceReading]:
        """All that must cross first."""
        readings = [reading for pending in self.outcomes for reading in pending.readings.values()]
        return readings + [check.output_magnitude for check in self.finite_checks]

    def learn_outcomes(self) -> None:
        """Take in all of them; they have crossed."""
        outcomes, checks, self.outcomes, self.finite_checks = self.outcomes, self.finite_checks, [], []
        for check in checks:
            self._apply_finite_check(check)
        for pending in outcomes:
            if pending.output_path in self.additional_outputs.by_path:
                self.additional_outputs.learn_outcome(pending)
                continue
            for sample, rows in enumerate(self.batch.layout):
                self._learn_outcome(pending, sample, rows)
        self.deciders.update_monitors()

    def _learn_outcome(self, pending: PendingOutcome, sample: int, rows: Sequence[int]) -> None:
        own_rows = rows if self.streams.branch_differences is None else rows[:1]
        outcome = pending.build_outcome(sample, own_rows, self.recorder.to_run_index)
        if outcome is None:
            return
        if pending.subject == "difference":
            self.streams.learn_difference(pending.stream, sample, outcome)
        elif pending.subject == "truth":
            place, error = (outcome.local_index, pending.stream, sample), outcome.prediction_error
            if pending.output_path is None:
                self.recorder.amend_fields(*place, {"reuse_error": error})
            elif error is not None:  # of the sound's tokens, at the site of the blocks
                self.recorder.amend_output_error(*place, name_output(pending.output_path), error)
        else:
            if pending.has_nonfinite_output(rows):  # whichever of its rows
                outcome = outcome._replace(output_magnitude=math.nan)
            self.deciders.get_or_create(pending.stream).learn_outcome(pending.stream, sample, outcome)
            self.streams.learn_branch_rows(pending, sample)

    def _apply_finite_check(self, finite_check: FiniteCheck) -> None:
        broken, stream = finite_check.find_nonfinite_rows(), self.streams.by_name.get(finite_check.stream)
        if broken and stream is not None:
            self.recorder.add_note(NONFINITE_NOTE)
            stream.drop_references([n for n, rows in enumerate(self.batch.layout) if broken.intersection(rows)])

    def release_tensors(self) -> None:
        """Nothing is reused any more; what the trace is to show still comes."""
        self.finite_checks = []
