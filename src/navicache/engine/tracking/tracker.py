"""The position within the current run: where the newest call stands, and what is known of the run it belongs to."""

from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.engine.tensors.fetch import Reading, value
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.placement import Host, Placement


class Moment(NamedTuple):
    """Where a step stands in its run."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    own_index: int
    total: int | None
    time: float | None
    sigma: float | None


@dataclass(slots=True)
class Tracker:
    """Keeps the position; where a call belongs is told by `place`, which only reads it."""

    why: str = "first call"  # why the next call begins a run; empty within one
    done: bool = False  # the last step has had its calls, as far as can be told
    # of the run
    token: object | None = None
    facts: tuple[object, ...] = ()
    offset: int | None = None  # the host's number of the run's first step; None before it is told one
    first_time: Reading | None = None
    direction: float = 0.0  # in which the time goes
    stale: bool = False  # the host's scheduler stood still while a step went by: it belongs to others
    relaxed: bool = False  # nothing is predicted in this run, so nothing is kept to compare with
    conditioning: dict[str, Rows] = field(default_factory=dict)  # by stream
    # of the step
    host: Host = Host()
    own_index: int = 0
    counted_from: int = 0  # the number of the run's first step, where its steps are counted and not told
    index: int = 0
    total: int | None = None
    time: Reading | None = None
    latent: Rows = ()
    called: list[str] = field(default_factory=list)  # streams of this step, in the order of their calls
    before: list[str] = field(default_factory=list)  # and of the step before

    @property
    def over(self) -> bool:
        """Whether the last step has had all the calls the step before had."""
        return self.total is not None and self.index >= self.total - 1 and self.called == self.before

    @property
    def moment(self) -> Moment:
        """Where the step stands; its time as far as it has been read."""
        time = None if self.time is None else value(self.time)
        return Moment(self.index, self.own_index, self.total, time, self.host.sigma)

    def trusted(self, host: Host) -> Host:
        """What may be believed of the host."""
        return host._replace(index=None, total=None, token=None) if self.stale and not self.why else host

    def continues(self, host: Host) -> bool:
        """Whether a fresh start falls within the same generation: its scheduler goes on to a later step."""
        if self.why or self.stale or host.index is None or host.token is None or host.token is not self.token:
            return False
        return host.index > (self.index if self.host.index is None else self.host.index)

    def forget(self, why: str) -> None:
        """The next call begins a run."""
        if not self.why:
            self.why, self.conditioning, self.latent, self.token = why, {}, (), None

    def close(self) -> None:
        """Expect a new run, though one more stream of the last step may still come."""
        self.done, self.conditioning, self.latent = True, {}, ()

    def move(self, placement: Placement, call: Call, host: Host, relaxed: bool) -> bool:
        """Take the position a settled placement says; `relaxed` where the run is left alone.

        Returns whether the run's first step had a wrong number, should it turn out so here.
        """
        wrong = False
        if placement.kind == "run":
            self._begin(placement, call, host)
        elif placement.kind == "step":
            wrong = self._go_on(placement, host)
        if placement.kind != "follow":
            host, start = self.trusted(host) if self.stale else host, self.offset or 0
            self.host, self.time = host, placement.time
            self.relaxed, self.latent = relaxed, () if relaxed else call.raw
            self.index = self.counted_from + self.own_index if host.index is None else host.index - start
            self.total = None if host.total is None else host.total - start
            self.called = []
        self.called.append(placement.stream)
        self.conditioning[placement.stream] = call.conditioning
        return wrong

    def _begin(self, placement: Placement, call: Call, host: Host) -> None:
        self.why, self.done, self.stale = "", False, False
        self.token, self.facts, self.own_index, self.counted_from = host.token, call.facts, 0, 0
        self.offset = None if host.index is None else 0
        self.first_time, self.direction = placement.time, 0.0
        self.conditioning, self.before = {}, []

    def _go_on(self, placement: Placement, host: Host) -> bool:
        wrong, self.before = False, self.called
        self.own_index += 1
        if host.index is not None and host.index == self.host.index:
            self.stale = True
            if self.own_index == 1:
                wrong = True
            else:  # it has moved before: what it told then was right
                self.counted_from = self.index - self.own_index + 1
        elif self.offset is None and host.index is not None:
            self.offset = host.index - self.own_index  # the run began in the middle of the schedule
        if placement.time is not None and not self.direction:
            now, then = value(placement.time), value(self.time)
            self.direction = 0.0 if now is None or then is None else now - then
        return wrong
