"""Who decides for which stream: one decider for all of them, or one for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from navicache.engine.decide.decider import Decider
from navicache.engine.decide.gauge import Gauge
from navicache.engine.decide.recorder import Recorder
from navicache.engine.decide.signal import Watch
from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.batch import Batch
from navicache.policies import Scheme

LEAD = "*"  # the decider all streams share


@dataclass
class Deciders:
    """All deciders of a run; a stream gets its own when it is called for the first time."""

    scheme: Scheme
    recorder: Recorder
    batch: Batch
    channel_dim: int | None = None
    kept: dict[str, Decider] = field(default_factory=dict)
    lead: bool = field(init=False)  # one for all

    def __post_init__(self) -> None:
        """Look up once what is asked at every call."""
        self.lead = self.scheme.gate.streams == "lead"

    def of(self, stream: str) -> Decider:
        """Who decides for a stream."""
        key = LEAD if self.lead else stream
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = self._new()
        return found

    def measure(self, change: Rows | None, latent: Rows, leader: str, computed: Mapping[str, Rows]) -> None:
        """Queue what is to be known of a step that `leader` leads; `computed` has each stream's last computed input."""
        for name, decider in self.kept.items():
            decider.measure(change, latent, computed.get(leader if name == LEAD else name))

    def measure_signal(self, signal: Tensor, stream: str | None) -> None:
        """Queue how a signal has changed, against all it may be compared with where its stream is not known (None)."""
        for name, decider in self.kept.items():
            if stream is None or name in (stream, LEAD):
                decider.measure_signal(signal)

    def take_back(self) -> None:
        """Forget the newest measurements."""
        for decider in self.kept.values():
            decider.take_back()

    def catch_up(self) -> None:
        """Let every monitor see what has come to the host."""
        for decider in self.kept.values():
            if decider.monitor is not None:
                decider.monitor.catch_up()

    def waiting(self) -> list[Reading]:
        """Readings that must cross before the next decision."""
        waiting: list[Reading] = []
        for decider in self.kept.values():
            waiting += decider.readings.values()
            if decider.monitor is not None:
                waiting += decider.monitor.waiting()
        return waiting

    def release(self) -> None:
        """Let all tensors go."""
        for decider in self.kept.values():
            decider.watch.release()

    def _new(self) -> Decider:
        scheme, reads = self.scheme, measured(self.scheme)
        nothing: frozenset[str] = frozenset()
        of_input, of_signal = (reads, nothing) if scheme.signal == "input" else (nothing, reads)
        gauge = Gauge(of_input, scheme.predictor.products, self.channel_dim)
        return Decider(scheme, self.recorder, self.batch, gauge, Watch(of_signal), len(self.kept))


def measured(scheme: Scheme) -> frozenset[str]:
    """What is measured at each step: for the gate, and for the monitor beside it."""
    return scheme.gate.reads | (scheme.monitor.reads if scheme.monitor is not None else frozenset())
