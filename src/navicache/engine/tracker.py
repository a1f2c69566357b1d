"""Finds runs, steps and streams; nothing is counted that could be found.

What the caller's surroundings tell (a cache context, a scheduler) settles most calls without the device. Where they
are silent, the time, the latent and the conditioning are asked, in the one transfer that a leading call makes anyway;
only a call that breaks the pattern of the step before costs a transfer of its own.
"""

from navicache.engine.call import Call
from navicache.engine.fetch import Reading, time_reading, value
from navicache.engine.lesson import Moment
from navicache.engine.placement import Host, Placement, another, unused
from navicache.engine.rows import Rows, identical, same, shapes


class Tracker:
    """The position within the current run."""

    def __init__(self) -> None:
        """Before the first call."""
        self.why = "first call"
        self.started = False
        self.done = False  # the last step has had its calls, as far as can be told
        self.misnumbered: int | None = None  # a step that was given the number of a scheduler that stood still
        self.relaxed = False  # nothing is predicted in this run, so nothing is kept to compare with

    def forget(self, why: str) -> None:
        """The next call begins a run."""
        if self.started:
            self.started, self.why = False, why
            self.conditioning, self.latent, self.token = {}, (), None

    def close(self) -> None:
        """Expect a new run, though one more stream of the last step may still come."""
        self.done = True
        self.conditioning, self.latent = {}, ()

    def place(self, call: Call, host: Host) -> Placement:
        """Place a call by what needs no device; open questions are put as readings."""
        if self.started and host.index == self.host.index and self._plainly_follows(call, host):
            return Placement("follow", host.name or "")
        why = self._plainly_new(call, host)
        if why:
            fresh = host.name or "0"
            return Placement("run", fresh, fresh, why, time=_asked(call, host))
        known = self._recognised(call) if host.name is None else host.name
        if host.index is not None and host.index != self.host.index:
            return self._leading(call, host, known, tentative=self.done)
        if known is None:
            told = host.index is not None or (self.own_index == 0 and host.token is not None)
            sure = told and (self.done or self._same_latent(call))
            return self._following(call) if sure else self._leading(call, host, known, tentative=True)
        return self._called_or_leading(call, host, known)

    def _called_or_leading(self, call: Call, host: Host, known: str) -> Placement:
        """A stream that is known: one more of this step, or, called before, perhaps the first of the next."""
        name = another(known, self.called)
        if name == known and host.index is not None:
            return Placement("follow", name)
        as_before = [*self.called, name] == self.before[: len(self.called) + 1]
        first = self.own_index == 0 and host.token is not None and name == known
        if (as_before or first) and self._same_latent(call):
            return Placement("follow", name)
        return self._leading(call, host, known, tentative=True)

    def trusted(self, host: Host) -> Host:
        """What may be believed of the host: a scheduler that stood still while a step went by belongs to others."""
        return host._replace(index=None, total=None, token=None) if self.started and self.stale else host

    def open_questions(self, placement: Placement) -> list[Reading]:
        """What must be fetched before `settle`."""
        asked = () if placement.time is None else (placement.time, self.first_time, self.time)
        return [*(reading for reading in asked if reading), *placement.equal.values()]

    def settle(self, placement: Placement, unchanged: bool) -> Placement:
        """Answer the open questions; the readings have been fetched, `unchanged` means a bit-equal latent."""
        if placement.certain:
            return placement
        equal = [stream for stream, flag in placement.equal.items() if flag.values[0]]
        free = [stream for stream in equal if stream not in self.called]
        same_time = value(placement.time) == value(self.time) and not (self.done and placement.time is None)
        if placement.kind == "follow" or (placement.tentative and unchanged and same_time):
            repeated = placement.stream in self.called or (bool(equal) and not free)
            if repeated and self.own_index == 0 and self.token is None:
                return placement.begins("the first step again")
            return placement._replace(kind="follow", stream=another([*free, *equal, placement.stream][0], self.called))
        if self.done:
            return placement.begins("the run before was over")
        if self._new_by_time(value(placement.time)):
            return placement.begins("the time went back")
        if placement.moved and not equal:
            return placement.begins("the conditioning changed")
        return placement._replace(stream=equal[0] if equal else placement.stream)

    def enter(self, placement: Placement, call: Call, host: Host) -> None:
        """Take the position a settled placement says."""
        if placement.kind == "run":
            self.started, self.done, self.stale = True, False, False
            self.offset = None if host.index is None else 0
            self.token, self.facts, self.own_index = host.token, call.facts, 0
            self.first_time, self.direction = placement.time, 0.0
            self.conditioning: dict[str, Rows] = {}
            self.before: list[str] = []  # streams of the step before, in the order of their calls
        elif placement.kind == "step":
            self.own_index += 1
            if host.index is not None and host.index == self.host.index:
                self.stale, self.misnumbered = True, self.index
            host = self.trusted(host)
            if self.offset is None and host.index is not None:
                self.offset = host.index - self.own_index  # the run began in the middle of the schedule
            self.before = self.called
            if placement.time is not None and not self.direction:
                now, then = value(placement.time), value(self.time)
                self.direction = 0.0 if now is None or then is None else now - then
        if placement.kind != "follow":
            self.host, self.time, self.latent = host, placement.time, call.raw
            self.index = self.own_index if host.index is None else host.index - (self.offset or 0)
            self.total = None if host.total is None else host.total - (self.offset or 0)
            self.called: list[str] = []
        self.called.append(placement.stream)
        self.conditioning[placement.stream] = call.conditioning

    @property
    def over(self) -> bool:
        """Whether the last step has had all the calls the step before had."""
        return self.total is not None and self.index >= self.total - 1 and self.called == self.before

    @property
    def moment(self) -> Moment:
        """Where the step stands; its time as far as it has been read."""
        time = None if self.time is None else value(self.time)
        return Moment(self.index, self.own_index, self.total, time, self.host.sigma)

    def continues(self, host: Host) -> bool:
        """Whether a fresh start falls within the same generation: its scheduler goes on to a later step."""
        if not self.started or host.index is None or host.token is None or host.token is not self.token:
            return False
        return host.index > (self.index if self.host.index is None else self.host.index)

    def _plainly_follows(self, call: Call, host: Host) -> bool:
        """At a step known by its number: named, not yet called, and handed the very latent of the leading call."""
        if host.index is None or host.name is None or host.token is not self.token:
            return False
        return host.name not in self.called and self._same_object(call)

    def _same_object(self, call: Call) -> bool:
        return bool(self.latent) and call.raw[0] is self.latent[0] and call.form == self.facts[-1]

    def _plainly_new(self, call: Call, host: Host) -> str:
        if not self.started:
            return self.why
        if host.token is not None and host.token is not self.token:
            return "new timesteps"
        if host.index is not None and self.host.index is not None:
            if host.index < self.host.index:
                return "the step index went back"
            if host.token is None and host.index == self.host.index == 0 and host.name in self.called:
                return "step 0 again"
        same = (host.index == self.host.index and self._same_object(call)) or call.facts == self.facts
        return "" if same else "another shape, dtype or device"

    def _recognised(self, call: Call) -> str | None:
        return next((s for s, kept in self.conditioning.items() if identical(kept, call.conditioning)), None)

    def _leading(self, call: Call, host: Host, known: str | None, tentative: bool) -> Placement:
        time = None if host.index is not None else _asked(call, host)
        fresh = host.name or "0"
        if known is not None and identical(self.conditioning.get(known, call.conditioning), call.conditioning):
            return Placement("step", known, fresh, "", tentative, time)
        equal = self._compare(call, list(self.conditioning) if known is None else [known])
        if not equal and not tentative:
            return Placement("run", fresh, fresh, "the conditioning changed", time=time)
        return Placement("step", known or self._unused(), fresh, "", tentative, time, True, equal)

    def _same_latent(self, call: Call) -> bool:
        return self.relaxed or identical(self.latent, call.raw)

    def _following(self, call: Call) -> Placement:
        # Made anew at every call, the conditioning has no identity: its values have to tell the streams apart.
        equal = self._compare(call, [s for s in self.conditioning if s not in self.called])
        return Placement("follow", self._unused(), moved=bool(equal), equal=equal)

    def _compare(self, call: Call, streams: list[str]) -> dict[str, Reading]:
        alike = [s for s in streams if shapes(self.conditioning[s]) == shapes(call.conditioning)]
        return {s: Reading(same(self.conditioning[s], call.conditioning)) for s in alike}

    def _unused(self) -> str:
        return unused({*self.conditioning, *self.called, *self.before})

    def _new_by_time(self, time: float | None) -> bool:
        first, last = value(self.first_time), value(self.time)
        if time is None or first is None or last is None:
            return False
        return time == first or (time - last) * self.direction < 0


def _asked(call: Call, host: Host) -> Reading | None:
    # With a step index at hand the time is only for the trace, which can wait.
    return None if host.index is not None or call.time is None else time_reading(call.time)
