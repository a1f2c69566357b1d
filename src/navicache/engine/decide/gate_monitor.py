"""A gate beside the one that decides: it explains the trace, or holds a further output to its error."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from navicache.engine.decide.pending_outcome import average_rows
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import Gate, Outcome, Step

LATE_NONFINITE_NOTE = "the latent was NaN or infinite at a step that was reused before that was known"


class PendingStep(NamedTuple):
    """A step that was decided without what the monitor reads of it."""

    stream: str
    sample: int
    rows: Sequence[int]  # of the sample
    step: Step
    change_reading: DeviceReading  # of the latent, since the step before


class GateMonitor:
    """Asks the gate about every step, in order, and hands its states to the trace.

    It runs late, after its readings came to the host with another transfer.
    """

    def __init__(self, gate: Gate[Any], recorder: TraceRecorder, batch: BatchSamples) -> None:
        """Nothing was asked yet."""
        self._gate, self._recorder = gate, recorder
        self._states = batch.create_sample_list(gate.init())
        self._pending: list[PendingStep] = []

    def observe_step(
        self, stream: str, sample: int, rows: Sequence[int], step: Step, change_reading: DeviceReading | None
    ) -> None:
        """Run the gate on a step: now if its change is known or not measured, else after the transfer."""
        if change_reading is None or change_reading.values:
            self._explain_step(stream, sample, step)
        else:
            self._pending.append(PendingStep(stream, sample, rows, step, change_reading))

    def list_pending_readings(self) -> list[DeviceReading]:
        """Readings that have not crossed."""
        return [pending.change_reading for pending in self._pending]

    def process_fetched_steps(self, last_index: float = math.inf) -> None:
        """Run the gate on the steps up to this one whose readings have arrived."""
        while (
            self._pending and self._pending[0].change_reading.values and self._pending[0].step.local_index <= last_index
        ):
            stream, sample, rows, step, reading = self._pending.pop(0)
            change = average_rows(reading, rows)
            if change is not None and not math.isfinite(change):
                self._recorder.add_note(LATE_NONFINITE_NOTE)
            self._explain_step(stream, sample, step._replace(since_seen=change))

    def learn_outcome(self, sample: int, outcome: Outcome) -> None:
        """Take in what a compute taught; all steps up to it have been asked about."""
        self.process_fetched_steps(outcome.local_index)
        self._states[sample] = self._gate.learn(self._states[sample], outcome)

    def _explain_step(self, stream: str, sample: int, step: Step) -> None:
        _, state = self._gate.decide(self._states[sample], step)
        self._states[sample] = state
        self._recorder.add_explanation(step.local_index, stream, sample, step, state)


class OutputBound:
    """Asks the gate of the run whether one further output may be predicted, on measurements of its own."""

    def __init__(self, gate: Gate[Any], batch: BatchSamples) -> None:
        """Nothing is measured yet."""
        self._gate, self._states = gate, batch.create_sample_list(gate.init())
        self._magnitudes: list[float | None] = batch.create_sample_list(None)

    def decide_step(self, steps: Sequence[Step]) -> list[int]:
        """Move the gate on by one step; return the samples whose prediction would be farther off than it allows."""
        own_steps = [step._replace(output_magnitude=self._magnitudes[sample]) for sample, step in enumerate(steps)]
        asked = [self._gate.decide(*pair) for pair in zip(self._states, own_steps, strict=True)]
        self._states[:] = [state for _, state in asked]
        return [sample for sample, (decision, _) in enumerate(asked) if decision.compute]

    def learn_outcome(self, sample: int, outcome: Outcome) -> None:
        """Take in the error at a compute."""
        self._magnitudes[sample] = outcome.output_magnitude
        self._states[sample] = self._gate.learn(self._states[sample], outcome)
