"""A gate that is asked for the trace alone: late, when what it reads has come to the host with something else."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from navicache.engine.decide.lesson import mean
from navicache.engine.decide.recorder import Recorder
from navicache.engine.tensors.fetch import Reading
from navicache.engine.tracking.batch import Batch
from navicache.policies import Gate, Outcome, Step

UNSEEN_IN_TIME = "the latent was NaN or infinite at a step that was reused before that was known"


class MonitoredStep(NamedTuple):
    """A step that was decided without what the monitor reads of it."""

    stream: str
    sample: int
    rows: Sequence[int]  # of the sample
    step: Step
    change: Reading  # of the latent, since the step before


class Monitor:
    """Asks the gate about every step, in order, and hands its states to the trace."""

    def __init__(self, gate: Gate[Any], recorder: Recorder, batch: Batch) -> None:
        """Nothing was asked yet."""
        self._gate, self._recorder = gate, recorder
        self._states = batch.per_sample(gate.init())
        self._pending: list[MonitoredStep] = []

    def watch(self, stream: str, sample: int, rows: Sequence[int], step: Step, change: Reading | None) -> None:
        """Ask about a step: now if its change is known or was not measured, else when that has come."""
        if change is None or change.values:
            self._ask(stream, sample, step)
        else:
            self._pending.append(MonitoredStep(stream, sample, rows, step, change))

    def waiting(self) -> list[Reading]:
        """Readings that have not crossed."""
        return [pending.change for pending in self._pending]

    def catch_up(self, own_index: float = math.inf) -> None:
        """Ask about the steps up to this one whose readings have come since."""
        while self._pending and self._pending[0].change.values and self._pending[0].step.own_index <= own_index:
            stream, sample, rows, step, reading = self._pending.pop(0)
            change = mean(reading, rows)
            if change is not None and not math.isfinite(change):
                self._recorder.note(UNSEEN_IN_TIME)
            self._ask(stream, sample, step._replace(since_seen=change))

    def learn(self, sample: int, outcome: Outcome) -> None:
        """Take in what a compute taught; all steps up to it have been asked about."""
        self.catch_up(outcome.own_index)
        self._states[sample] = self._gate.learn(self._states[sample], outcome)

    def _ask(self, stream: str, sample: int, step: Step) -> None:
        _, state = self._gate.decide(self._states[sample], step)
        self._states[sample] = state
        self._recorder.explain(step.own_index, stream, sample, step, state)
