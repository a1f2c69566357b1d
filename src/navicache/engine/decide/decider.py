"""One line of decisions: asks the gate, feeds it what computes taught, sample by sample."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from navicache.engine.decide.gauge import Gauge, Readings
from navicache.engine.decide.lesson import gaps, mean, mean_vector, relative
from navicache.engine.decide.monitor import Monitor
from navicache.engine.decide.recorder import Recorder
from navicache.engine.decide.signal import Watch
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.batch import Batch
from navicache.engine.tracking.tracker import Moment
from navicache.policies import Outcome, Predictor, Scheme, Step, Verdict, Weights, nonfinite_fields

NOT_FINITE = "a measurement was NaN or infinite: those steps were computed, and taught nothing"

Computed = tuple[int, ...]  # own indices of computed steps, newest first, as far as a predictor looks back


@dataclass
class Decider:
    """Gate and predictor states of every sample, for the leading stream or for one stream."""

    scheme: Scheme
    recorder: Recorder
    batch: Batch
    gauge: Gauge
    watch: Watch
    branch: int = 0
    computed_at: list[Computed] = field(init=False)
    gates: list[Any] = field(init=False)
    predictors: list[Any] = field(init=False)
    output_size: list[float | None] = field(init=False)
    useless: list[int] = field(init=False)  # the newest compute that was NaN or infinite
    monitor: Monitor | None = field(init=False)
    steps: list[Step] = field(default_factory=list)  # what was known at the newest decision
    chosen: list[Weights] = field(default_factory=list)  # and how it is to be predicted
    readings: Readings = field(default_factory=dict)  # of this step
    before: Readings = field(default_factory=dict)  # and of the one before, should they be the same
    looks_back: bool = field(init=False)
    reads_more: bool = field(init=False)  # than the change since the last step seen

    def __post_init__(self) -> None:
        """Start from nothing."""
        batch, scheme = self.batch, self.scheme
        self.gates, self.predictors = batch.per_sample(scheme.gate.init()), batch.per_sample(scheme.predictor.init())
        self.computed_at, self.output_size = batch.per_sample(()), batch.per_sample(None)
        self.useless = batch.per_sample(-1)
        self.monitor = None if scheme.monitor is None else Monitor(scheme.monitor, self.recorder, batch)
        self.looks_back = scheme.predictor.order > 1
        self.reads_more = bool(scheme.gate.reads - {"since_seen", "outcome"}) or bool(self.watch.reads)

    def measure(self, change: Rows | None, latent: Rows, computed: Rows | None) -> None:
        """Queue what the gate wants to know of this step."""
        self.before, self.readings = self.readings, self.gauge.input(change, latent, computed)

    def measure_signal(self, signal: Tensor) -> None:
        """Queue how the gate's own signal has changed."""
        self.readings = self.watch.measure(signal)

    def take_back(self) -> None:
        """Forget the newest measurements: it was the same step once more."""
        self.readings = self.before

    def decide(self, moment: Moment, stream: str, elements: int, fits: bool) -> list[Verdict]:
        """One verdict per sample, written down with its reasons."""
        verdicts: list[Verdict] = []
        self.steps, self.chosen = [], []
        monitor = self.monitor
        for sample, rows in enumerate(self.batch.layout):
            step = self._step(moment, stream, sample, rows, elements, fits)
            if self.reads_more:
                step = step._replace(**self._rarely_read(rows))
            verdict, state = self.scheme.gate.decide(self.gates[sample], step)
            self.gates[sample] = state
            self.steps.append(step)
            if monitor is None:
                self.recorder.add(moment.own_index, stream, sample, verdict, step, state)
            else:
                self.recorder.add(moment.own_index, stream, sample, verdict, step)
                monitor.watch(stream, sample, rows, step, self.readings.get("since_seen"))
            verdicts.append(verdict)
            if verdict.compute:
                self.watch.keep()
            if verdict.reason == "not finite":
                self.recorder.note(NOT_FINITE)
        return verdicts

    def weights(self, references: list[Computed]) -> list[Weights]:
        """How each sample's output is to be predicted at this step, from references of these steps."""
        if self.looks_back and references != self.computed_at:
            pairs = zip(self.predictors, references, strict=True)
            return [self.weights_of(self.scheme.predictor, n, *pair) for n, pair in enumerate(pairs)]
        if not self.chosen:  # the same for all streams with the leader's references
            self.chosen = list(map(self.scheme.predictor.weights, self.predictors, self.steps))
        return self.chosen

    def weights_of(self, predictor: Predictor[Any], sample: int, state: Any, references: Computed) -> Weights:
        """The same for what has gaps or a state of its own."""
        step, usable = self.steps[sample], [kept for kept in references if kept > self.useless[sample]]
        return predictor.weights(state, step._replace(gaps=self._gaps(step.index, usable)))

    def serves(self, sample: int, reference: Computed) -> bool:
        """Whether a stream can be predicted: it was computed where the leader was last, and as often as it needs."""
        known = self.computed_at[sample]
        return bool(known) and reference[:1] == known[:1] and len(reference) >= len(known)

    def computed(self, own_index: int, samples: Sequence[int]) -> None:
        """These samples are computed at this step."""
        order = self.scheme.predictor.order
        for sample in samples:
            self.computed_at[sample] = (own_index, *self.computed_at[sample])[:order]

    def learn(self, stream: str, sample: int, outcome: Outcome) -> None:
        """Take in what a compute taught."""
        self.output_size[sample] = outcome.output_size
        broken = nonfinite_fields(outcome)
        if broken:
            self.recorder.note(NOT_FINITE)
            outcome = outcome._replace(**dict.fromkeys(broken))
            if self.looks_back and "output_size" in broken:
                # such an output must not be carried on: wait for new references
                self.computed_at[sample], self.useless[sample] = (), outcome.own_index
        if self.monitor is not None:
            self.monitor.learn(sample, outcome)
        self.gates[sample] = self.scheme.gate.learn(self.gates[sample], outcome)
        self.predictors[sample] = self.scheme.predictor.learn(self.predictors[sample], outcome)
        if outcome.output_change is not None:
            line = {
                "measured_ratio": relative(outcome.output_change, outcome.input_change),
                "output_change": relative(outcome.output_change, outcome.output_size),
                "reuse_error": outcome.prediction_error,
            }
            self.recorder.amend(outcome.own_index, stream, sample, line)

    def _step(
        self,
        moment: Moment,
        stream: str,
        sample: int,
        rows: Sequence[int],
        elements: int,
        fits: bool,
    ) -> Step:
        computed_at, (index, own_index, total, time, sigma) = self.computed_at[sample], moment
        change = self.readings.get("since_seen")
        return Step(
            index=index,
            own_index=own_index,
            stream=stream,
            total=total,
            time=time,
            sigma=sigma,
            since_seen=mean(change, rows) if change is not None and change.values else None,
            output_size=self.output_size[sample],
            gap=index - self.recorder.number_of(computed_at[0]) if computed_at else 0,
            gaps=self._gaps(index, computed_at) if self.looks_back else (),
            elements=elements,
            branch=self.branch,
            fits=fits,
        )

    def _gaps(self, index: int, computed: Sequence[int]) -> tuple[int, ...]:
        """Steps of the run between this one and those that were computed."""
        return gaps(index, [*map(self.recorder.number_of, computed)])

    def _rarely_read(self, rows: Sequence[int]) -> dict[str, Any]:
        """Fields of a `Step` that few gates ask for."""
        known = self.readings
        more: dict[str, Any] = {} if not self.watch.reads else self.watch.sizes(known, rows)
        if "since_computed" in known:
            more["since_computed"] = mean(known["since_computed"], rows)
        if "by_channel" in known:
            more["by_channel"] = mean_vector(known["by_channel"], rows, self.batch.rows)
        return more
