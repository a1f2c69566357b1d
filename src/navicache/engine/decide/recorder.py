"""Writes down what happens; measurements that are still on the device are filled in when they arrive.

Everybody else counts the steps of a run as the engine does, from its first call on (`own_index`). Here, and nowhere
else, that count is translated into the run's own step numbers.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

from torch import Tensor

from navicache.engine.decide.lines import Line, Place, shared_by_all
from navicache.engine.tensors.fetch import Reading, time_reading, value
from navicache.policies import Gate, Step, Verdict
from navicache.records import RunRecord, StepRecord

KEPT_RUNS = 32  # a server must not grow for ever
UNEXPLAINED: Any = object()  # stands for the state of a gate that explains nothing, or has yet to


class Recorder:
    """The trace of one engine."""

    def __init__(self, gate: Gate[Any], **about: Any) -> None:
        """Nothing has run yet; `about` are the fields of `RunRecord` that are the same for every run."""
        self._gate, self._about = gate, about
        self._runs: deque[RunRecord] = deque(maxlen=KEPT_RUNS)
        self._started = ""
        self._clear()

    def _clear(self) -> None:
        self._lines: dict[Place, Line] = {}
        self._amended: dict[Place, dict[str, Any]] = {}
        self._times: dict[int, Tensor | float] = {}
        self._read_times: dict[int, Reading] = {}
        self._notes: dict[str, None] = {}
        self._numbers: list[int] = []  # the run's number of each step of the record
        self._first = 0  # the step of the record that the engine counts as 0
        self._starts = [0]  # all that it has counted as 0
        self._total: int | None = None  # steps of the run, as far as known

    # -- where the run is ---------------------------------------------------------------------------------------------

    def begin(self, why: str) -> None:
        """Open a run."""
        self._started, self._total = why, None

    def count_from_here(self) -> None:
        """The engine counts its steps from 0 again, though the record goes on."""
        self._first = len(self._numbers)
        self._starts.append(self._first)

    def begin_step(self, number: int, total: int | None, time: Reading | Tensor | float | None) -> None:
        """The next step, by its number in the run; its time is remembered as it came, for reading it can wait."""
        self._total, position = total, len(self._numbers)
        if isinstance(time, Reading):
            self._read_times[position] = time
        elif time is not None:
            self._times[position] = time
        self._numbers.append(number)

    def correct_first_number(self) -> None:
        """The engine's first step had the number of a scheduler that belongs to others: it is step 0."""
        self._numbers[self._first] = 0

    def number_of(self, own_index: int) -> int:
        """The run's number of a step that the engine has counted."""
        return self._numbers[self._first + own_index]

    # -- what happens -------------------------------------------------------------------------------------------------

    def add(
        self,
        own_index: int,
        stream: str,
        sample: int,
        verdict: Verdict,
        step: Step | None = None,
        state: Any = UNEXPLAINED,
    ) -> None:
        """Write one line."""
        self._lines[self._first + own_index, stream, sample] = (verdict, step, state)

    def explain(self, own_index: int, stream: str, sample: int, step: Step, state: Any) -> None:
        """Complete a line with a step whose measurements have come, and the state of the gate that explains it."""
        place = self._first + own_index, stream, sample
        self._lines[place] = (self._lines[place][0], step, state)

    def amend(self, own_index: int, stream: str, sample: int, fields: dict[str, Any]) -> None:
        """Complete a line with fields of a `StepRecord` found out since."""
        self._amended.setdefault((self._first + own_index, stream, sample), {}).update(fields)

    def waiting(self) -> list[Reading]:
        """Times that have not crossed yet.

        A tensor that is held shares its address with no other, so an address met again belongs to a buffer that the
        caller has written to since: only its newest time is still there.
        """
        newest = {time.data_ptr(): index for index, time in self._times.items() if isinstance(time, Tensor)}
        for index, time in self._times.items():
            known = not isinstance(time, Tensor) or newest[time.data_ptr()] == index
            if known and index not in self._read_times:
                self._read_times[index] = time_reading(time)
        return [reading for reading in self._read_times.values() if reading.tensor is not None]

    def note(self, text: str) -> None:
        """Say something about the run, once."""
        self._notes[text] = None

    def finish(self, finished: bool) -> None:
        """Close the run."""
        record = self.current(finished)
        if record is not None:
            self._runs.append(record)
        self._clear()

    # -- what has happened --------------------------------------------------------------------------------------------

    def current(self, finished: bool = False) -> RunRecord | None:
        """The open run as it stands."""
        if not self._lines:
            return None
        last = max(self._numbers[step] for step, _, _ in self._lines)
        records = (self._record(place, line) for place, line in self._all_lines())
        steps = {(step.index, step.stream, step.sample): step for step in records}  # of one number the newest counts
        return RunRecord(
            **self._about,
            started=self._started,
            total=self._total,
            steps=tuple(steps.values()),
            notes=tuple(self._notes),
            finished=finished or (self._total is not None and last >= self._total - 1),
        )

    @property
    def runs(self) -> tuple[RunRecord, ...]:
        """All runs, the open one last."""
        current = self.current()
        return (*self._runs, current) if current else tuple(self._runs)

    def progress(self) -> tuple[int, int]:
        """Steps computed and reused in the open run, by their leading lines; nothing is fetched for it."""
        leading: dict[tuple[int, int], bool] = {}
        for place, (verdict, _, _) in self._all_lines():
            computed = self._fields(place).get("computed", verdict.compute)
            leading.setdefault((self._numbers[place[0]], place[2]), computed)
        return sum(leading.values()), len(leading) - sum(leading.values())

    def _all_lines(self) -> Iterable[tuple[Place, Line]]:
        return shared_by_all(self._lines, [*self._starts, len(self._numbers)]).items()

    def _fields(self, place: Place) -> dict[str, Any]:
        """What was found out about a line since."""
        shared = {} if place in self._lines else self._amended.get((*place[:2], 0), {})
        return {**shared, **self._amended.get(place, {})}

    def _record(self, place: Place, line: Line) -> StepRecord:
        position, stream, sample = place
        verdict, step, state = line
        fields: dict[str, Any] = {"computed": verdict.compute, "reason": verdict.reason}
        if step is not None:
            fields |= {"sigma": step.sigma, "input_change": step.since_seen}
        if state is not UNEXPLAINED:
            fields |= self._gate.explain(state)
        fields |= self._fields(place)
        time = value(self._read_times.get(position))
        return StepRecord(index=self._numbers[position], stream=stream, sample=sample, time=time, **fields)
