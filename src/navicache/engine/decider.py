"""One line of decisions: asks the gate, feeds it what computes taught, sample by sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.engine.fetch import Reading
from navicache.engine.gauge import Gauge
from navicache.engine.layout import Layout, by_row
from navicache.engine.lesson import Lesson, Moment, gaps, mean, mean_vector, newest, relative
from navicache.engine.recorder import Recorder
from navicache.engine.rows import Rows
from navicache.engine.watch import NO_SIZES, Watch
from navicache.policies import Outcome, Predictor, Scheme, Step, Verdict, Weights, nonfinite_fields
from navicache.policies.predictors import OUTPUT


@dataclass
class Decider:
    """Gate and predictor states of every sample, for the leading stream or for one stream."""

    scheme: Scheme
    recorder: Recorder
    channel_dim: int | None = None
    layout: Layout = ((0,),)
    gates: list[Any] = field(default_factory=list)
    predictors: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)  # what was known at the newest decision
    chosen: list[Weights] = field(default_factory=list)  # and how it is to be predicted
    computed_at: list[tuple[int, ...]] = field(default_factory=list)  # per sample: newest computed steps, as kept
    output_size: list[float | None] = field(default_factory=list)
    useless: list[int] = field(default_factory=list)  # per sample: the newest compute that was NaN or infinite
    lessons: list[Lesson] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)  # of this step
    before: dict[str, Reading] = field(default_factory=dict)  # and of the one before, should they be the same
    branch: int = 0
    fits: bool = True  # input and output have a part of the same form
    apart: dict[str, list[Any]] = field(default_factory=dict)  # predictor states of followers, as differences
    within: list[list[Any]] = field(default_factory=list)  # per sample: likewise of its rows after the first

    def __post_init__(self) -> None:
        """Look up once what is asked at every step."""
        own = self.scheme.signal != "input"
        reads = self.scheme.gate.reads
        self.gauge = Gauge(frozenset() if own else reads, self.scheme.predictor.products, self.channel_dim)
        self.watch = Watch(reads if own else frozenset())
        self.looks_back = self.scheme.predictor.order > 1

    def begin(self, rows: int) -> None:
        """All rows are one sample until the layout is known."""
        self.layout = (tuple(range(rows)),)
        self.gates, self.predictors = [self.scheme.gate.init()], [self.scheme.predictor.init()]
        self.within = [[]]
        self.computed_at, self.output_size, self.useless = [()], [None], [-1]

    def split(self, layout: Layout) -> None:
        """Give every sample its own state; so far they shared all they know."""
        self.layout = layout
        self.gates, self.predictors = self.gates * len(layout), self.predictors * len(layout)
        self.computed_at, self.output_size = self.computed_at * len(layout), self.output_size * len(layout)
        self.useless = self.useless * len(layout)
        self.apart = {stream: states * len(layout) for stream, states in self.apart.items()}
        self.within = [[] for _ in layout]
        for lesson in self.lessons:
            lesson.since = lesson.since * len(layout)

    def part(self) -> None:
        """Rows of a sample after its first are kept as differences from it, each with a predictor state of its own."""
        self.within = [[self._differences().init()] * (len(rows) - 1) for rows in self.layout]

    def measure(self, change: Rows | None, latent: Rows, computed: Rows | None) -> None:
        """Queue what the gate wants to know of this step."""
        self.before, self.readings = self.readings, self.gauge.input(change, latent, computed)

    def waiting(self) -> list[Reading]:
        """All that must cross before the next decision."""
        waiting = list(self.readings.values())
        for lesson in self.lessons:
            waiting += lesson.readings.values()
        return waiting

    def decide(self, moment: Moment, stream: str, elements: int) -> list[Verdict]:
        """One verdict per sample, written down with its reasons."""
        verdicts: list[Verdict] = []
        self.steps, self.chosen = [], []
        for sample, state in enumerate(self.gates):
            step = self._step(moment, stream, sample, elements)
            verdict, state = self.scheme.gate.decide(state, step)
            self.gates[sample] = state
            self.steps.append(step)
            self.recorder.add(moment.index, stream, sample, verdict, step, state)
            verdicts.append(verdict)
            if verdict.compute:
                self.watch.computed = self.watch.now
            if verdict.reason == "not finite":
                self.recorder.note(NOT_FINITE)
        return verdicts

    def weights(self, references: list[tuple[int, ...]]) -> list[Weights]:
        """How each sample's output is to be predicted at this step, from references of these steps."""
        if self.looks_back and references != self.computed_at:
            return self._own_weights(references, self.predictors, self.scheme.predictor)
        if not self.chosen:  # the same for all streams with the leader's references
            self.chosen = list(map(self.scheme.predictor.weights, self.predictors, self.steps))
        return self.chosen

    def row_weights(self, references: list[tuple[int, ...]]) -> list[Weights]:
        """The same, row by row; rows that are kept as differences have weights of their own."""
        own = [
            [self._own(sample, state, references[sample], self._differences()) for state in states]
            for sample, states in enumerate(self.within)
        ]
        return by_row(self.layout, self.weights(references), own)

    def row_weights_again(self, references: list[tuple[int, ...]]) -> list[Weights]:
        """The same once the stream was called: samples computed at this step are what has come out."""
        done = [kept[:1] == (step.index,) for kept, step in zip(references, self.steps, strict=True)]
        weights = self.row_weights(references)
        computed = {row for now, rows in zip(done, self.layout, strict=True) if now for row in rows}
        return [OUTPUT if row in computed else weight for row, weight in enumerate(weights)]

    def weights_apart(self, stream: str, references: list[tuple[int, ...]]) -> list[Weights]:
        """How a follower's difference from the leader is to be predicted."""
        return by_row(self.layout, self._own_weights(references, self._apart(stream), self._differences()))

    def _apart(self, stream: str) -> list[Any]:
        return self.apart.setdefault(stream, [self._differences().init()] * len(self.layout))

    def _differences(self) -> Predictor[Any]:
        """What carries a follower's difference on."""
        return self.scheme.apart or self.scheme.predictor

    def _own_weights(
        self, references: list[tuple[int, ...]], states: list[Any], predictor: Predictor[Any]
    ) -> list[Weights]:
        """For a stream with gaps or states of its own."""
        return [self._own(sample, state, references[sample], predictor) for sample, state in enumerate(states)]

    def _own(self, sample: int, state: Any, references: tuple[int, ...], predictor: Predictor[Any]) -> Weights:
        step, usable = self.steps[sample], [kept for kept in references if kept > self.useless[sample]]
        return predictor.weights(state, step._replace(gaps=gaps(step.index, usable)))

    def serves(self, sample: int, reference: tuple[int, ...]) -> bool:
        """Whether a stream can be predicted: it was computed where the leader was last, and as often as it needs."""
        known = self.computed_at[sample]
        return bool(known) and reference[:1] == known[:1] and len(reference) >= len(known)

    def note_compute(self, lesson: Lesson, samples: Sequence[int]) -> None:
        """Queue what a compute taught."""
        self.lessons.append(lesson)
        for sample in samples:
            self.computed_at[sample] = newest(lesson.moment.index, self.computed_at[sample], self.scheme)

    def learn(self) -> None:
        """Take in every lesson; they have all crossed."""
        lessons, self.lessons = self.lessons, []
        for lesson in lessons:
            for sample, rows in enumerate(self.layout):
                outcome = lesson.outcome(sample, rows[:1] if self.within[sample] else rows)
                if outcome is not None and lesson.apart:
                    states, known = self._apart(lesson.stream), dict.fromkeys(nonfinite_fields(outcome))
                    states[sample] = self._differences().learn(states[sample], outcome._replace(**known))
                elif outcome is not None and lesson.teaches:
                    self._learn(lesson, sample, outcome)
                elif outcome is not None:
                    truth = {"reuse_error": outcome.prediction_error}
                    self.recorder.amend(outcome.index, lesson.stream, sample, truth)

    def _learn_within(self, lesson: Lesson, sample: int) -> None:
        """What the sample's other rows teach their own predictors."""
        states = self.within[sample]
        for branch, row in enumerate(self.layout[sample][1 : 1 + len(states)]):
            outcome = lesson.outcome(sample, (row,))
            if outcome is not None:
                known = outcome._replace(**dict.fromkeys(nonfinite_fields(outcome)))
                states[branch] = self._differences().learn(states[branch], known)

    def _learn(self, lesson: Lesson, sample: int, outcome: Outcome) -> None:
        if lesson.broken(self.layout[sample]):  # whichever of its rows
            outcome = outcome._replace(output_size=math.nan)
        self.output_size[sample] = outcome.output_size
        broken = nonfinite_fields(outcome)
        if broken:
            self.recorder.note(NOT_FINITE)
            outcome = outcome._replace(**dict.fromkeys(broken))
            if self.looks_back and "output_size" in broken:
                # such an output must not be carried on: wait for new references
                self.computed_at[sample], self.useless[sample] = (), outcome.index
        self.gates[sample] = self.scheme.gate.learn(self.gates[sample], outcome)
        self.predictors[sample] = self.scheme.predictor.learn(self.predictors[sample], outcome)
        self._learn_within(lesson, sample)
        if outcome.output_change is not None:
            line = {
                "measured_ratio": relative(outcome.output_change, outcome.input_change),
                "output_change": relative(outcome.output_change, outcome.output_size),
                "reuse_error": outcome.prediction_error,
            }
            self.recorder.amend(outcome.index, lesson.stream, sample, line)

    def _step(self, moment: Moment, stream: str, sample: int, elements: int) -> Step:
        index, own_index, total, time, sigma = moment
        rows, known, computed_at = self.layout[sample], self.readings, self.computed_at[sample]
        computed, by_channel = known.get("since_computed"), known.get("by_channel")
        return Step(  # by position: built at every step, and names would double its price
            index,
            own_index,
            stream,
            total,
            time,
            sigma,
            mean(known.get("since_seen"), rows),
            None if computed is None else mean(computed, rows),
            self.output_size[sample],
            elements,
            index - computed_at[0] if computed_at else 0,  # gap
            None if by_channel is None else mean_vector(by_channel, rows, sum(map(len, self.layout))),
            gaps(index, computed_at) if self.looks_back else (),
            *(self.watch.sizes(known, rows) if self.watch.reads else NO_SIZES),
            self.branch,
            self.fits,
        )


NOT_FINITE = "a measurement was NaN or infinite: those steps were computed, and taught nothing"
