"""The deciders of a run: one for all streams, or one per stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from navicache.engine.decide.decider import StreamDecider
from navicache.engine.decide.measurements import Measurements
from navicache.engine.decide.signal_history import SignalHistory
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import Scheme

SHARED_KEY = "*"  # the decider all streams share


@dataclass
class StreamDeciders:
    """All deciders of a run; a stream gets its own when it is called for the first time."""

    scheme: Scheme
    recorder: TraceRecorder
    batch: BatchSamples
    channel_dim: int | None = None
    by_stream: dict[str, StreamDecider] = field(default_factory=dict)
    leader_decides: bool = field(init=False)  # one for all

    def __post_init__(self) -> None:
        """Look up once what is asked at every call."""
        self.leader_decides = self.scheme.gate.streams == "lead"

    def get_or_create(self, stream: str) -> StreamDecider:
        """Return the decider of a stream; create it at the first call."""
        key = SHARED_KEY if self.leader_decides else stream
        found = self.by_stream.get(key)
        if found is None:
            found = self.by_stream[key] = self._create_decider()
        return found

    def measure_input(
        self, latent_change: Rows | None, latent: Rows, leader: str, computed_latents: Mapping[str, Rows]
    ) -> None:
        """Queue what is to be known of a step that `leader` leads; `computed` has each stream's last computed input."""
        for name, decider in self.by_stream.items():
            decider.measure_input(latent_change, latent, computed_latents.get(leader if name == SHARED_KEY else name))

    def measure_signal(self, signal: Tensor, stream: str | None) -> None:
        """Queue the change of a signal, for every stream if its own is unknown (None)."""
        for name, decider in self.by_stream.items():
            if stream is None or name in (stream, SHARED_KEY):
                decider.measure_signal(signal)

    def discard_measurements(self) -> None:
        """Forget the newest measurements."""
        for decider in self.by_stream.values():
            decider.discard_measurements()

    def update_monitors(self) -> None:
        """Let every monitor see what has come to the host."""
        for decider in self.by_stream.values():
            if decider.monitor is not None:
                decider.monitor.process_fetched_steps()

    def list_pending_readings(self) -> list[DeviceReading]:
        """Readings that must cross before the next decision."""
        waiting: list[DeviceReading] = []
        for decider in self.by_stream.values():
            waiting += decider.readings.values()
            if decider.monitor is not None:
                waiting += decider.monitor.list_pending_readings()
        return waiting

    def release_tensors(self) -> None:
        """Let all tensors go."""
        for decider in self.by_stream.values():
            decider.signal_history.release_tensors()

    def _create_decider(self) -> StreamDecider:
        scheme, reads = self.scheme, list_measurements(self.scheme)
        nothing: frozenset[str] = frozenset()
        of_input, of_signal = (reads, nothing) if scheme.signal == "input" else (nothing, reads)
        gauge = Measurements(of_input, scheme.predictor.needs_inner_products, self.channel_dim)
        return StreamDecider(scheme, self.recorder, self.batch, gauge, SignalHistory(of_signal), len(self.by_stream))


def list_measurements(scheme: Scheme) -> frozenset[str]:
    """What is measured at each step: for the gate, and for the monitor beside it."""
    return scheme.gate.reads | (scheme.monitor.reads if scheme.monitor is not None else frozenset())
