"""One line of decisions: asks the gate, feeds it what computes taught, sample by sample."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from navicache.engine.fetch import Reading
from navicache.engine.layout import Layout
from navicache.engine.recorder import Recorder
from navicache.engine.rows import Rows, mean_abs, mean_abs_by_channel, minus
from navicache.engine.stream import Stream
from navicache.policies import Outcome, Scheme, Step, Verdict, Weights, nonfinite_fields


@dataclass(frozen=True)
class Moment:
    """Where a step stands in its run."""

    index: int
    own_index: int
    total: int | None
    time: float | None
    sigma: float | None


@dataclass
class Lesson:
    """A compute whose measurements may not have crossed yet."""

    moment: Moment
    stream: str
    rows: Sequence[int]  # the rows that were computed
    since: list[int | None]  # per sample: the computed step before
    readings: dict[str, Reading]


@dataclass
class Decider:
    """Gate and predictor states of every sample, for the leading stream or for one stream."""

    scheme: Scheme
    recorder: Recorder
    channel_dim: int | None = None
    layout: Layout = ((0,),)
    gates: list[Any] = field(default_factory=list)
    predictors: list[Any] = field(default_factory=list)
    computed_at: list[int | None] = field(default_factory=list)
    output_size: list[float | None] = field(default_factory=list)
    lessons: list[Lesson] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)

    def begin(self, rows: int) -> None:
        """All rows are one sample until the layout is known."""
        self.layout = (tuple(range(rows)),)
        self.gates, self.predictors = [self.scheme.gate.init()], [self.scheme.predictor.init()]
        self.computed_at, self.output_size = [None], [None]

    def split(self, layout: Layout) -> None:
        """Give every sample its own state; so far they shared all they know."""
        self.layout = layout
        self.gates, self.predictors = self.gates * len(layout), self.predictors * len(layout)
        self.computed_at, self.output_size = self.computed_at * len(layout), self.output_size * len(layout)
        for lesson in self.lessons:
            lesson.since = lesson.since * len(layout)

    def measure(self, change: Rows | None, latent: Rows, stream: Stream | None) -> None:
        """Queue what the gate wants to know about this step's input."""
        reads = self.scheme.gate.reads
        self.readings = {}
        if change is not None and "since_seen" in reads:
            self.readings["since_seen"] = Reading(mean_abs(change))
        if change is not None and "by_channel" in reads:
            self.readings["by_channel"] = Reading(self._by_channel(change))
        if "since_computed" in reads and stream is not None and stream.history:
            self.readings["since_computed"] = Reading(mean_abs(minus(latent, stream.history[0][0])))

    def waiting(self) -> list[Reading]:
        """All that must cross before the next decision."""
        return [*self.readings.values(), *(r for lesson in self.lessons for r in lesson.readings.values())]

    def decide(self, moment: Moment, stream: str, elements: int) -> list[Verdict]:
        """One verdict per sample, written down with its reasons."""
        verdicts: list[Verdict] = []
        for sample in range(len(self.layout)):
            step = self._step(moment, stream, sample, elements)
            verdict, self.gates[sample] = self.scheme.gate.decide(self.gates[sample], step)
            self._warn_if_broken(step)
            shown = dict(self.scheme.gate.explain(self.gates[sample]))
            change = {"input_change": step.since_seen, "sigma": step.sigma}
            self.recorder.add(
                moment.index, stream, sample, computed=verdict.compute, reason=verdict.reason, **change, **shown
            )
            verdicts.append(verdict)
        return verdicts

    def weights(self, moment: Moment, stream: str) -> list[Weights]:
        """How each sample's output is to be predicted at this step."""
        samples = range(len(self.layout))
        return [self.scheme.predictor.weights(self.predictors[s], self._step(moment, stream, s, 1)) for s in samples]

    def note_compute(self, lesson: Lesson, samples: Sequence[int]) -> None:
        """Queue what a compute taught."""
        self.lessons.append(lesson)
        for sample in samples:
            self.computed_at[sample] = lesson.moment.index

    def learn(self) -> None:
        """Take in every lesson that has crossed."""
        for lesson in self.lessons:
            position = {row: k for k, row in enumerate(lesson.rows)}
            for sample, rows in enumerate(self.layout):
                if rows[0] in position:
                    self._learn(lesson, sample, [position[row] for row in rows])
        self.lessons = []

    def compare(
        self, inputs: Rows, outputs: Rows, old: tuple[Rows, Rows] | None, guess: Rows | None
    ) -> dict[str, Reading]:
        """Queue the measurements of a compute; `old` is the computed step before, `guess` the prediction from it."""
        readings = {"output_size": mean_abs(outputs)}
        if old is not None and guess is not None:
            dx, dy = minus(inputs, old[0]), minus(outputs, old[1])
            readings |= {"input_change": mean_abs(dx), "output_change": mean_abs(dy)}
            readings["prediction_error"] = mean_abs(minus(outputs, guess))
            if "by_channel" in self.scheme.gate.reads:
                readings |= {"input_by_channel": self._by_channel(dx), "output_by_channel": self._by_channel(dy)}
        return {name: Reading(tensor) for name, tensor in readings.items()}

    def _by_channel(self, rows: Rows) -> Tensor:
        tokens = rows[0].ndim == 3
        return mean_abs_by_channel(rows, self.channel_dim or (2 if tokens else 1))

    def _step(self, moment: Moment, stream: str, sample: int, elements: int) -> Step:
        computed_at = self.computed_at[sample]
        rows = self.layout[sample]
        return Step(
            index=moment.index,
            own_index=moment.own_index,
            stream=stream,
            total=moment.total,
            time=moment.time,
            sigma=moment.sigma,
            since_seen=_mean(self.readings.get("since_seen"), rows),
            since_computed=_mean(self.readings.get("since_computed"), rows),
            by_channel=_vector(self.readings.get("by_channel"), rows, sum(map(len, self.layout))),
            output_size=self.output_size[sample],
            elements=elements,
            gap=0 if computed_at is None else moment.index - computed_at,
        )

    def _learn(self, lesson: Lesson, sample: int, rows: list[int]) -> None:
        since = lesson.since[sample]
        known = lesson.readings if since is not None else {}
        size = _mean(lesson.readings["output_size"], rows)
        error = _mean(known.get("prediction_error"), rows)
        outcome = Outcome(
            index=lesson.moment.index,
            own_index=lesson.moment.own_index,
            total=lesson.moment.total,
            time=lesson.moment.time,
            sigma=lesson.moment.sigma,
            gap=0 if since is None else lesson.moment.index - since,
            input_change=_mean(known.get("input_change"), rows),
            output_change=_mean(known.get("output_change"), rows),
            output_size=size,
            prediction_error=_relative(error, size),
            input_by_channel=_vector(known.get("input_by_channel"), rows, len(lesson.rows)),
            output_by_channel=_vector(known.get("output_by_channel"), rows, len(lesson.rows)),
        )
        self._warn_if_broken(outcome)
        self.output_size[sample] = size
        self.gates[sample] = self.scheme.gate.learn(self.gates[sample], outcome)
        self.predictors[sample] = self.scheme.predictor.learn(self.predictors[sample], outcome)
        self._amend(lesson, sample, outcome)

    def _amend(self, lesson: Lesson, sample: int, outcome: Outcome) -> None:
        if outcome.output_change is None:
            return
        self.recorder.amend(
            lesson.moment.index,
            lesson.stream,
            sample,
            measured_ratio=_relative(outcome.output_change, outcome.input_change),
            output_change=_relative(outcome.output_change, outcome.output_size),
            reuse_error=outcome.prediction_error,
        )

    def _warn_if_broken(self, facts: Step | Outcome) -> None:
        if nonfinite_fields(facts):
            self.recorder.note("a measurement was NaN or infinite: those steps were computed, and taught nothing")


def _mean(reading: Reading | None, rows: Sequence[int]) -> float | None:
    return None if reading is None else sum(reading.values[row] for row in rows) / len(rows)


def _vector(reading: Reading | None, rows: Sequence[int], whole: int) -> tuple[float, ...] | None:
    if reading is None:
        return None
    width = len(reading.values) // whole
    columns = zip(*(reading.values[row * width : (row + 1) * width] for row in rows), strict=True)
    return tuple(sum(column) / len(rows) for column in columns)


def _relative(value: float | None, size: float | None) -> float | None:
    return None if value is None or not size else value / size
