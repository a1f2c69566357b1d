"""Calls the gate at every step and passes it the outcome of every compute, sample by sample."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from navicache.engine.decide.gate_monitor import GateMonitor
from navicache.engine.decide.measurements import Measurements, ReadingsByName
from navicache.engine.decide.pending_outcome import average_rows, average_rows_by_channel, compute_gaps, divide_known
from navicache.engine.decide.signal_history import SignalHistory
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.engine.tracking.run_tracker import StepPosition
from navicache.policies import Decision, Outcome, PredictionWeights, Predictor, Scheme, Step, find_nonfinite_fields

NONFINITE_NOTE = "a measurement was NaN or infinite: those steps were computed, and taught nothing"

ComputedSteps = tuple[int, ...]  # local indices of computed steps, newest first, as far as a predictor looks back


@dataclass
class StreamDecider:
    """Gate and predictor states of every sample, for the leading stream or for one stream."""

    scheme: Scheme
    recorder: TraceRecorder
    batch: BatchSamples
    measurements: Measurements
    signal_history: SignalHistory
    stream_index: int = 0
    computed_steps: list[ComputedSteps] = field(init=False)
    gate_states: list[Any] = field(init=False)
    predictor_states: list[Any] = field(init=False)
    output_magnitudes: list[float | None] = field(init=False)
    last_nonfinite_step: list[int] = field(init=False)  # the newest compute that was NaN or infinite
    monitor: GateMonitor | None = field(init=False)
    steps: list[Step] = field(default_factory=list)  # what was known at the newest decision
    step_weights: list[PredictionWeights] = field(default_factory=list)  # and how it is to be predicted
    readings: ReadingsByName = field(default_factory=dict)  # of this step
    previous_readings: ReadingsByName = field(default_factory=dict)  # and of the one before, should they be the same
    uses_history: bool = field(init=False)
    needs_extra_fields: bool = field(init=False)  # than the change since the last step seen

    def __post_init__(self) -> None:
        """Start from nothing."""
        batch, scheme = self.batch, self.scheme
        self.gate_states = batch.create_sample_list(scheme.gate.init())
        self.predictor_states = batch.create_sample_list(scheme.predictor.init())
        self.computed_steps, self.output_magnitudes = batch.create_sample_list(()), batch.create_sample_list(None)
        self.last_nonfinite_step = batch.create_sample_list(-1)
        self.monitor = None if scheme.monitor is None else GateMonitor(scheme.monitor, self.recorder, batch)
        self.uses_history = scheme.predictor.history_length > 1
        reads_more = bool(scheme.gate.reads - {"since_seen", "outcome"})
        self.needs_extra_fields = reads_more or bool(self.signal_history.measurement_names)

    def measure_input(self, latent_change: Rows | None, latent: Rows, computed_latent: Rows | None) -> None:
        """Queue the measurements of this step that the gate reads."""
        self.previous_readings = self.readings
        self.readings = self.measurements.measure_input(latent_change, latent, computed_latent)

    def measure_signal(self, signal: Tensor) -> None:
        """Queue how the gate's own signal has changed."""
        self.readings = self.signal_history.measure_change(signal)

    def discard_measurements(self) -> None:
        """Discard the newest measurements: the call belonged to the same step as the one before."""
        self.readings = self.previous_readings

    def decide_samples(self, position: StepPosition, stream: str, elements: int, shapes_match: bool) -> list[Decision]:
        """Take one decision per sample and add it to the trace."""
        decisions: list[Decision] = []
        self.steps, self.step_weights = [], []
        gate, recorder, monitor = self.scheme.gate, self.recorder, self.monitor
        for sample, rows in enumerate(self.batch.layout):
            step = self._build_step(position, stream, sample, rows, elements, shapes_match)
            if self.needs_extra_fields:
                step = step._replace(**self._build_extra_fields(rows))
            decision, state = gate.decide(self.gate_states[sample], step)
            self.gate_states[sample] = state
            self.steps.append(step)
            if monitor is None:
                recorder.add_decision(position.local_index, stream, sample, decision, step, state)
            else:
                recorder.add_decision(position.local_index, stream, sample, decision, step)
                monitor.observe_step(stream, sample, rows, step, self.readings.get("since_seen"))
            decisions.append(decision)
            if decision.compute:
                self.signal_history.mark_computed()
            if decision.reason == "not finite":
                recorder.add_note(NONFINITE_NOTE)
        return decisions

    def compute_weights(self, references: list[ComputedSteps]) -> list[PredictionWeights]:
        """Compute the prediction weights of every sample at this step, for outputs kept from these steps."""
        if self.uses_history and references != self.computed_steps:
            pairs = zip(self.predictor_states, references, strict=True)
            return [self.compute_sample_weights(self.scheme.predictor, n, *pair) for n, pair in enumerate(pairs)]
        if not self.step_weights:  # the same for all streams with the leader's references
            self.step_weights = list(map(self.scheme.predictor.weights, self.predictor_states, self.steps))
        return self.step_weights

    def compute_sample_weights(
        self, predictor: Predictor[Any], sample: int, state: Any, references: ComputedSteps
    ) -> PredictionWeights:
        """Compute the weights of one sample with another predictor, state or list of kept steps."""
        step, usable = self.steps[sample], [kept for kept in references if kept > self.last_nonfinite_step[sample]]
        return predictor.weights(state, step._replace(gaps=self._compute_gaps(step.index, usable)))

    def can_predict(self, sample: int, reference_steps: ComputedSteps) -> bool:
        """Whether a stream can be predicted: it was computed at the leader's last computed step, and often enough."""
        known = self.computed_steps[sample]
        return bool(known) and reference_steps[:1] == known[:1] and len(reference_steps) >= len(known)

    def mark_computed(self, local_index: int, samples: Sequence[int]) -> None:
        """Note that these samples are computed at this step."""
        order = self.scheme.predictor.history_length
        for sample in samples:
            self.computed_steps[sample] = (local_index, *self.computed_steps[sample])[:order]

    def learn_outcome(self, stream: str, sample: int, outcome: Outcome) -> None:
        """Update gate and predictor with the outcome of a compute."""
        self.output_magnitudes[sample] = outcome.output_magnitude
        broken = find_nonfinite_fields(outcome)
        if broken:
            self.recorder.add_note(NONFINITE_NOTE)
            outcome = outcome._replace(**dict.fromkeys(broken))
            if self.uses_history and "output_magnitude" in broken:
                # such an output must not be carried on: wait for new references
                self.computed_steps[sample], self.last_nonfinite_step[sample] = (), outcome.local_index
        if self.monitor is not None:
            self.monitor.learn_outcome(sample, outcome)
        self.gate_states[sample] = self.scheme.gate.learn(self.gate_states[sample], outcome)
        self.predictor_states[sample] = self.scheme.predictor.learn(self.predictor_states[sample], outcome)
        if outcome.output_change is not None:
            line = {
                "measured_ratio": divide_known(outcome.output_change, outcome.input_change),
                "output_change": divide_known(outcome.output_change, outcome.output_magnitude),
                "reuse_error": outcome.prediction_error,
            }
            self.recorder.amend_fields(outcome.local_index, stream, sample, line)

    def _build_step(
        self, position: StepPosition, stream: str, sample: int, rows: Sequence[int], elements: int, shapes_match: bool
    ) -> Step:
        computed_at = self.computed_steps[sample]
        index, local_index, total, time, sigma, levels, is_continued, is_flow, has_text = position
        change = self.readings.get("since_seen")
        return Step(
            index,
            local_index,
            stream,
            total,
            time,
            sigma,
            since_seen=average_rows(change, rows) if change is not None and change.values else None,
            output_magnitude=self.output_magnitudes[sample],
            gap=index - self.recorder.to_run_index(computed_at[0]) if computed_at else 0,
            gaps=self._compute_gaps(index, computed_at) if self.uses_history else (),
            elements=elements,
            stream_index=self.stream_index,
            shapes_match=shapes_match,
            noise_levels=levels,
            sample=sample,
            is_continued=is_continued,
            is_flow=is_flow,
            has_text=has_text,
        )

    def _compute_gaps(self, index: int, computed: Sequence[int]) -> tuple[int, ...]:
        """Steps of the run between this one and those that were computed."""
        return compute_gaps(index, self.recorder.to_run_indices(computed))

    def _build_extra_fields(self, rows: Sequence[int]) -> dict[str, Any]:
        """Build the fields of `Step` that only few gates read."""
        known = self.readings
        history = self.signal_history
        more: dict[str, Any] = history.build_step_fields(known, rows) if history.measurement_names else {}
        if "since_computed" in known:
            more["since_computed"] = average_rows(known["since_computed"], rows)
        if "by_channel" in known:
            more["by_channel"] = average_rows_by_channel(known["by_channel"], rows, self.batch.row_count)
        return more
