"""Records the trace; measurements that are still on the device are filled in when they arrive.

The rest of the engine counts steps from the first call of a run (`local_index`). Only this module translates that count
into step indices of the run.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

from torch import Tensor

from navicache.engine.decide.lone_runs import LoneRuns
from navicache.engine.decide.trace_lines import DecisionLine, LineKey, expand_shared_lines
from navicache.engine.tensors.device_readings import DeviceReading, create_time_reading, get_moving_time
from navicache.policies import Decision, Gate, Policy, Step, collect_knob_values
from navicache.records import RunRecord, StepRecord

MAX_KEPT_RUNS = 32  # a server must not grow for ever
NO_STATE: Any = object()  # stands for the state of a gate that explains nothing, or has yet to


class TraceRecorder:
    """The trace of one engine."""

    def __init__(self, gate: Gate[Any], **run_fields: Any) -> None:
        """Nothing has run yet; `about` are the fields of `RunRecord` that are the same for every run."""
        self._gate, self._run_fields = gate, run_fields
        self._runs: deque[RunRecord] = deque(maxlen=MAX_KEPT_RUNS)
        self._start_reason, self.lone_runs = "", LoneRuns()
        self._clear_run()

    def _clear_run(self) -> None:
        self._lines: dict[LineKey, DecisionLine] = {}
        self._amendments: dict[LineKey, dict[str, Any]] = {}
        self._times: dict[int, Tensor | float] = {}
        self._time_readings: dict[int, DeviceReading] = {}
        self._notes: dict[str, None] = {}
        self._run_indices: list[int] = []  # the run's number of each step of the record
        self._count_start = 0  # the step of the record that the engine counts as 0
        self._count_starts = [0]  # all that it has counted as 0
        self._total: int | None = None  # steps of the run, as far as known

    # -- where the run is ---------------------------------------------------------------------------------------------

    def set_policy(self, policy: Policy) -> None:
        """The policy of the run that begins."""
        scheme = policy.schemes()[0]
        self._gate = scheme.monitor or scheme.gate
        about = {"policy": policy.name, "settings": collect_knob_values(policy), "belief": scheme.error_field}
        self._run_fields = {**self._run_fields, **about}

    def begin_run(self, reason: str) -> None:
        """Open a run."""
        self._start_reason, self._total = reason, None
        self.add_note(self.lone_runs.report_loop(reason))

    def restart_step_count(self) -> None:
        """The engine counts its steps from 0 again, though the record goes on."""
        self._count_start = len(self._run_indices)
        self._count_starts.append(self._count_start)

    def begin_step(self, index: int, total: int | None, time: DeviceReading | Tensor | float | None) -> None:
        """The next step, by its number in the run; its time is remembered as it came, for reading it can wait."""
        self._total, position = total, len(self._run_indices)
        if isinstance(time, DeviceReading):
            self._time_readings[position] = time
        elif time is not None:
            self._times[position] = time
        self._run_indices.append(index)

    def set_first_index_to_zero(self) -> None:
        """The engine's first step had the number of a scheduler that belongs to others: it is step 0."""
        self._run_indices[self._count_start] = 0

    def to_run_index(self, local_index: int) -> int:
        """The run's number of a step that the engine has counted."""
        return self._run_indices[self._count_start + local_index]

    def to_run_indices(self, local_indices: Iterable[int]) -> list[int]:
        """The run's numbers of several steps."""
        start, indices = self._count_start, self._run_indices
        return [indices[start + local_index] for local_index in local_indices]

    # -- what happens -------------------------------------------------------------------------------------------------

    def add_decision(
        self,
        local_index: int,
        stream: str,
        sample: int,
        decision: Decision,
        step: Step | None = None,
        state: Any = NO_STATE,
    ) -> None:
        """Write one line."""
        self._lines[self._count_start + local_index, stream, sample] = (decision, step, state)

    def add_explanation(self, local_index: int, stream: str, sample: int, step: Step, state: Any) -> None:
        """Complete a line with a step whose measurements have come, and the state of the gate that explains it."""
        place = self._count_start + local_index, stream, sample
        self._lines[place] = (self._lines[place][0], step, state)

    def amend_fields(self, local_index: int, stream: str, sample: int, fields: dict[str, Any]) -> None:
        """Complete a line with fields of a `StepRecord` found out since."""
        self._amendments.setdefault((self._count_start + local_index, stream, sample), {}).update(fields)

    def amend_output_error(self, local_index: int, stream: str, sample: int, output: str, error: float) -> None:
        """Complete a line with the error of an output beside the prediction."""
        fields = self._amendments.setdefault((self._count_start + local_index, stream, sample), {})
        fields["other_errors"] = {**fields.get("other_errors", {}), output: error}

    def queue_time_readings(self) -> list[DeviceReading]:
        """Times that have not crossed yet.

        A tensor that is held shares its address with no other, so an address met again belongs to a buffer that the
        caller has written to since: only its newest time is still there.
        """
        newest = {time.data_ptr(): index for index, time in self._times.items() if isinstance(time, Tensor)}
        for index, time in self._times.items():
            known = not isinstance(time, Tensor) or newest[time.data_ptr()] == index
            if known and index not in self._time_readings:
                self._time_readings[index] = create_time_reading(time)
        return [reading for reading in self._time_readings.values() if reading.tensor is not None]

    def add_note(self, text: str) -> None:
        """Add a note to the run; the same note is added once, an empty one is not."""
        if text:
            self._notes[text] = None

    def finish_run(self, is_complete: bool) -> None:
        """Close the run."""
        record = self.build_run_record(is_complete)
        if record is not None:
            self._runs.append(record)
            self.lone_runs.count_run(len(self._run_indices) - self._count_start, self._total, is_complete)
        self._clear_run()

    # -- what has happened --------------------------------------------------------------------------------------------

    def build_run_record(self, is_complete: bool = False) -> RunRecord | None:
        """The open run as it stands."""
        if not self._lines:
            return None
        last = max(self._run_indices[step] for step, _, _ in self._lines)
        records = (self._build_step_record(place, line) for place, line in self._expand_lines())
        steps = {(step.index, step.stream, step.sample): step for step in records}  # of one number the newest counts
        return RunRecord(
            **self._run_fields,
            started=self._start_reason,
            total=self._total,
            steps=tuple(steps.values()),
            notes=tuple(self._notes),
            finished=is_complete or (self._total is not None and last >= self._total - 1),
        )

    @property
    def run_records(self) -> tuple[RunRecord, ...]:
        """All runs, the open one last."""
        current = self.build_run_record()
        return (*self._runs, current) if current else tuple(self._runs)

    def count_steps(self) -> tuple[int, int]:
        """Steps computed and reused in the open run, by their leading lines; nothing is fetched for it."""
        leading: dict[tuple[int, int], bool] = {}
        for place, (decision, _, _) in self._expand_lines():
            computed = self._find_amendments(place).get("computed", decision.compute)
            leading.setdefault((self._run_indices[place[0]], place[2]), computed)
        return sum(leading.values()), len(leading) - sum(leading.values())

    def _expand_lines(self) -> Iterable[tuple[LineKey, DecisionLine]]:
        return expand_shared_lines(self._lines, [*self._count_starts, len(self._run_indices)]).items()

    def _find_amendments(self, key: LineKey) -> dict[str, Any]:
        """What was found out about a line since."""
        shared = {} if key in self._lines else self._amendments.get((*key[:2], 0), {})
        return {**shared, **self._amendments.get(key, {})}

    def _build_step_record(self, key: LineKey, line: DecisionLine) -> StepRecord:
        position, stream, sample = key
        decision, step, state = line
        fields: dict[str, Any] = {"computed": decision.compute, "reason": decision.reason}
        if step is not None:
            fields |= {"sigma": step.sigma, "input_change": step.since_seen}
        if state is not NO_STATE:
            fields |= self._gate.explain(state)
        fields |= self._find_amendments(key)
        time = get_moving_time(self._time_readings.get(position), self._time_readings.get(self._count_start))
        return StepRecord(index=self._run_indices[position], stream=stream, sample=sample, time=time, **fields)
