"""Writes down what happens; measurements that are still on the device are filled in when they arrive."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from navicache.engine.fetch import Reading
from navicache.records import RunRecord, StepRecord

KEPT_RUNS = 32  # a server must not grow for ever


class Recorder:
    """The trace of one engine."""

    def __init__(self, model: str, policy: str, settings: Mapping[str, Any]) -> None:
        """Nothing has run yet."""
        self._about: dict[str, Any] = {"model": model, "policy": policy, "settings": dict(settings)}
        self._runs: deque[RunRecord] = deque(maxlen=KEPT_RUNS)
        self._drafts: dict[tuple[int, str, int], dict[str, Any]] = {}
        self._times: dict[int, Reading] = {}
        self._notes: dict[str, None] = {}
        self._started, self._total = "", None

    def begin(self, why: str, total: int | None) -> None:
        """Open a run."""
        self._started, self._total = why, total

    def add(self, index: int, stream: str, sample: int, **fields: Any) -> None:
        """Write one line."""
        self._drafts[index, stream, sample] = fields

    def amend(self, index: int, stream: str, sample: int, **fields: Any) -> None:
        """Complete a line with what has been measured since."""
        self._drafts[index, stream, sample].update(fields)

    def split(self, samples: int) -> None:
        """Give every sample its own lines, once it is known how many there are."""
        for (index, stream, _), fields in list(self._drafts.items()):
            for sample in range(1, samples):
                self._drafts.setdefault((index, stream, sample), dict(fields))

    def keep_time(self, index: int, time: Reading) -> None:
        """Remember the time of a step, to be fetched with the rest."""
        self._times.setdefault(index, time)

    def waiting(self) -> list[Reading]:
        """Times that have not crossed yet."""
        return [time for time in self._times.values() if time.tensor is not None]

    def note(self, text: str) -> None:
        """Say something about the run, once."""
        self._notes[text] = None

    def finish(self, finished: bool) -> None:
        """Close the run."""
        last = max((index for index, _, _ in self._drafts), default=-1)
        record = self.current(finished or (self._total is not None and last >= self._total - 1))
        if record is not None:
            self._runs.append(record)
        self._drafts, self._times, self._notes = {}, {}, {}

    def current(self, finished: bool = False) -> RunRecord | None:
        """The open run as it stands."""
        if not self._drafts:
            return None
        lines = [
            StepRecord(index=index, stream=stream, sample=sample, time=self._time(index), **fields)
            for (index, stream, sample), fields in self._drafts.items()
        ]
        return RunRecord(
            **self._about,
            started=self._started,
            total=self._total,
            steps=tuple(lines),
            notes=tuple(self._notes),
            finished=finished,
        )

    @property
    def runs(self) -> tuple[RunRecord, ...]:
        """All runs, the open one last."""
        current = self.current()
        return (*self._runs, current) if current else tuple(self._runs)

    def _time(self, index: int) -> float | None:
        reading = self._times.get(index)
        return reading.values[0] if reading is not None and reading.values else None
