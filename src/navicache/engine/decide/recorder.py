"""Writes down what happens; measurements that are still on the device are filled in when they arrive."""

from collections import deque
from typing import Any

from torch import Tensor

from navicache.engine.tensors.fetch import Reading, time_reading, value
from navicache.policies import Gate, Step, Decision
from navicache.records import RunRecord, StepRecord

KEPT_RUNS = 32  # a server must not grow for ever


# A decision as it was taken: the step (None for followers, which measure nothing) and the state of the gate. States
# never change, so that what it meant can be worked out when somebody asks.
Line = tuple[Decision, Step | None, Any]


class Recorder:
    """The trace of one engine."""

    def __init__(self, gate: Gate[Any], **about: Any) -> None:
        """Nothing has run yet; `about` are the fields of `RunRecord` that are the same for every run."""
        self._gate, self._about = gate, about
        self._runs: deque[RunRecord] = deque(maxlen=KEPT_RUNS)
        self._lines: dict[tuple[int, str, int], Line] = {}
        self._amended: dict[tuple[int, str, int], dict[str, Any]] = {}
        self._times: dict[int, Tensor | float] = {}
        self._read_times: dict[int, Reading] = {}
        self._notes: dict[str, None] = {}
        self._started = ""
        self._total: int | None = None  # steps of the run, as far as known

    def begin(self, why: str) -> None:
        """Open a run."""
        self._started, self._total = why, None

    def begin_step(self, index: int, total: int | None, time: Reading | Tensor | float | None) -> None:
        """A step of so many; its time is remembered as it came, for reading it can wait."""
        self._total = total
        if isinstance(time, Reading):
            self._read_times[index] = time
        elif time is not None:
            self._times[index] = time

    def add(
        self, index: int, stream: str, sample: int, verdict: Decision, step: Step | None = None, state: Any = None
    ) -> None:
        """Write one line."""
        self._lines[index, stream, sample] = (verdict, step, state)

    def amend(self, index: int, stream: str, sample: int, fields: dict[str, Any]) -> None:
        """Complete a line with fields of a `StepRecord` found out since."""
        self._amended.setdefault((index, stream, sample), {}).update(fields)

    def split(self, samples: int) -> None:
        """Give every sample its own lines, once it is known how many there are."""
        for (index, stream, _), line in list(self._lines.items()):
            for sample in range(1, samples):
                self._lines.setdefault((index, stream, sample), line)
        for (index, stream, _), fields in list(self._amended.items()):
            for sample in range(1, samples):
                self._amended.setdefault((index, stream, sample), dict(fields))

    def renumber(self, wrong: int, right: int) -> None:
        """Give all lines of a step another number."""

        def moved(index: int) -> int:
            return right if index == wrong else index

        self._lines = {(moved(i), stream, sample): line for (i, stream, sample), line in self._lines.items()}
        self._amended = {(moved(i), stream, sample): more for (i, stream, sample), more in self._amended.items()}
        self._times = {moved(i): time for i, time in self._times.items()}
        self._read_times = {moved(i): time for i, time in self._read_times.items()}

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
        self._lines, self._amended, self._notes = {}, {}, {}
        self._times, self._read_times = {}, {}

    def current(self, finished: bool = False) -> RunRecord | None:
        """The open run as it stands."""
        if not self._lines:
            return None
        last = max(index for index, _, _ in self._lines)
        return RunRecord(
            **self._about,
            started=self._started,
            total=self._total,
            steps=tuple(self._record(place, line) for place, line in self._lines.items()),
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
        for place, (verdict, _, _) in self._lines.items():
            computed = self._amended.get(place, {}).get("computed", verdict.compute)
            leading.setdefault((place[0], place[2]), computed)
        return sum(leading.values()), len(leading) - sum(leading.values())

    def _record(self, place: tuple[int, str, int], line: Line) -> StepRecord:
        index, stream, sample = place
        verdict, step, state = line
        fields: dict[str, Any] = {"computed": verdict.compute, "reason": verdict.reason}
        if step is not None:
            fields |= {"sigma": step.sigma, "input_change": step.since_seen}
            fields |= self._gate.explain(state)
        fields |= self._amended.get(place, {})
        return StepRecord(index=index, stream=stream, sample=sample, time=self._time(index), **fields)

    def _time(self, index: int) -> float | None:
        return value(self._read_times.get(index))
