"""Where the newest call stands: frozen, so that placing the next one is a pure function of it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from navicache.engine.tensors.fetch import Reading, value
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.placement import Host, Placement

NO_CONDITIONING: Mapping[str, Rows] = MappingProxyType({})


class Moment(NamedTuple):
    """Where a step stands in its run."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    own_index: int
    total: int | None
    time: float | None
    sigma: float | None


class Position(NamedTuple):
    """The position within the current run."""

    why: str = "first call"  # why the next call begins a run; empty within one
    done: bool = False  # the last step has had its calls, as far as can be told
    stale: bool = False  # the host's scheduler stood still while a step went by: it belongs to others
    relaxed: bool = False  # nothing is predicted in this run, so nothing is kept to compare with
    # of the run
    token: object | None = None
    facts: tuple[object, ...] = ()
    offset: int | None = None  # the host's number of the run's first step; None before it is told one
    first_time: Reading | None = None
    direction: float = 0.0  # in which the time goes
    conditioning: Mapping[str, Rows] = NO_CONDITIONING  # by stream
    # of the step
    host: Host = Host()
    own_index: int = 0
    index: int = 0  # pyright: ignore[reportIncompatibleMethodOverride]
    total: int | None = None
    time: Reading | None = None
    latent: Rows = ()
    called: tuple[str, ...] = ()  # streams of this step, in the order of their calls
    before: tuple[str, ...] = ()  # and of the step before

    @property
    def over(self) -> bool:
        """Whether the last step has had all the calls the step before had."""
        return self.total is not None and self.index >= self.total - 1 and self.called == self.before

    @property
    def moment(self) -> Moment:
        """Where the step stands; its time as far as it has been read."""
        return Moment(self.index, self.own_index, self.total, value(self.time), self.host.sigma)

    def trusted(self, host: Host) -> Host:
        """What may be believed of the host."""
        return host._replace(index=None, total=None, token=None) if self.stale and not self.why else host

    def continues(self, host: Host) -> bool:
        """Whether a fresh start falls within the same generation: its scheduler goes on to a later step."""
        if self.why or host.index is None or host.token is None or host.token is not self.token:
            return False
        return host.index > (self.index if self.host.index is None else self.host.index)

    def forgotten(self, why: str) -> "Position":
        """The next call begins a run."""
        return self if self.why else self._replace(why=why, conditioning=NO_CONDITIONING, latent=(), token=None)

    def closed(self) -> "Position":
        """Expect a new run, though one more stream of the last step may still come."""
        return self._replace(done=True, conditioning=NO_CONDITIONING, latent=())

    def moved(self, placement: Placement, call: Call, host: Host, relaxed: bool) -> "Position":
        """The position that a settled placement says; `relaxed` where the run is left alone."""
        stream = placement.stream
        if placement.kind == "follow":
            known = {**self.conditioning, stream: call.conditioning}
            return self._replace(called=(*self.called, stream), conditioning=known)
        begun = self._next_step(placement, host) if placement.kind == "step" else _first_step(placement, call, host)
        host, offset = begun.trusted(host), begun.offset or 0
        return begun._replace(
            relaxed=relaxed,
            host=host,
            index=begun.own_index if host.index is None else host.index - offset,
            total=None if host.total is None else host.total - offset,
            time=placement.time,
            latent=() if relaxed else call.raw,
            called=(stream,),
            conditioning={**begun.conditioning, stream: call.conditioning},
        )

    def _next_step(self, placement: Placement, host: Host) -> "Position":
        own_index, offset, direction = self.own_index + 1, self.offset, self.direction
        stale = self.stale or (host.index is not None and host.index == self.host.index)
        if offset is None and host.index is not None and not stale:
            offset = host.index - own_index  # the run began in the middle of the schedule
        if placement.time is not None and not direction:
            now, then = value(placement.time), value(self.time)
            direction = 0.0 if now is None or then is None else now - then
        return self._replace(stale=stale, offset=offset, direction=direction, own_index=own_index, before=self.called)


def _first_step(placement: Placement, call: Call, host: Host) -> Position:
    offset = None if host.index is None else 0
    return Position("", token=host.token, facts=call.facts, offset=offset, first_time=placement.time)
