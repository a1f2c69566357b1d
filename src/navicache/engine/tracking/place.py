"""Finds runs, steps and streams; nothing is counted that could be found.

What the caller's surroundings tell (a cache context, a scheduler) settles most calls without the device. Where they
are silent, the time, the latent and the conditioning are asked, in the one transfer that a leading call makes anyway;
only a call that breaks the pattern of the step before costs a transfer of its own.
"""

from navicache.engine.tensors.fetch import Reading, time_reading, value
from navicache.engine.tensors.rows import identical, same, shapes
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.placement import Host, Placement, another, unused
from navicache.engine.tracking.tracker import Tracker


def place(at: Tracker, call: Call, host: Host) -> Placement:
    """Place a call by what needs no device; open questions are put as readings."""
    if host.index == at.host.index and not at.why and _plainly_follows(at, call, host):
        return Placement("follow", host.name or "")
    why = _plainly_new(at, call, host)
    if why:
        fresh = host.name or "0"
        return Placement("run", fresh, fresh, why, time=_asked(call, host))
    known = _recognised(at, call) if host.name is None else host.name
    if host.index is not None and host.index != at.host.index:
        return _leading(at, call, host, known, tentative=at.done)
    if known is None:
        told = host.index is not None or (at.own_index == 0 and host.token is not None)
        sure = told and (at.done or _same_latent(at, call))
        return _following(at, call) if sure else _leading(at, call, host, known, tentative=True)
    return _called_or_leading(at, call, host, known)


def open_questions(at: Tracker, placement: Placement) -> list[Reading]:
    """What must be fetched before `settle`."""
    asked = () if placement.time is None else (placement.time, at.first_time, at.time)
    return [*(reading for reading in asked if reading), *placement.equal.values()]


def settle(at: Tracker, placement: Placement, unchanged: bool) -> Placement:
    """Answer the open questions; the readings have been fetched, `unchanged` means a bit-equal latent."""
    if placement.certain:
        return placement
    equal = [stream for stream, flag in placement.equal.items() if flag.values[0]]
    free = [stream for stream in equal if stream not in at.called]
    same_time = value(placement.time) == value(at.time) and not (at.done and placement.time is None)
    if placement.kind == "follow" or (placement.tentative and unchanged and same_time):
        repeated = placement.stream in at.called or (bool(equal) and not free)
        if repeated and at.own_index == 0 and at.token is None:
            return placement.begins("the first step again")
        return placement._replace(kind="follow", stream=another([*free, *equal, placement.stream][0], at.called))
    if at.done:
        return placement.begins("the run before was over")
    if _new_by_time(at, value(placement.time)):
        return placement.begins("the time went back")
    if placement.moved and not equal:
        return placement.begins("the conditioning changed")
    return placement._replace(stream=equal[0] if equal else placement.stream)


def _plainly_follows(at: Tracker, call: Call, host: Host) -> bool:
    """At a step known by its number: named, not yet called, and handed the very latent of the leading call."""
    if host.index is None or host.name is None or host.token is not at.token:
        return False
    return host.name not in at.called and _same_object(at, call)


def _same_object(at: Tracker, call: Call) -> bool:
    return bool(at.latent) and call.raw[0] is at.latent[0] and call.form == at.facts[-1]


def _plainly_new(at: Tracker, call: Call, host: Host) -> str:
    if at.why:
        return at.why
    if host.token is not None and host.token is not at.token:
        return "new timesteps"
    if host.index is not None and at.host.index is not None:
        if host.index < at.host.index:
            return "the step index went back"
        if host.token is None and host.index == at.host.index == 0 and host.name in at.called:
            return "step 0 again"
    same = (host.index == at.host.index and _same_object(at, call)) or call.facts == at.facts
    return "" if same else "another shape, dtype or device"


def _recognised(at: Tracker, call: Call) -> str | None:
    return next((s for s, kept in at.conditioning.items() if identical(kept, call.conditioning)), None)


def _called_or_leading(at: Tracker, call: Call, host: Host, known: str) -> Placement:
    """A stream that is known: one more of this step, or, called before, perhaps the first of the next."""
    name = another(known, at.called)
    if name == known and host.index is not None:
        return Placement("follow", name)
    as_before = [*at.called, name] == at.before[: len(at.called) + 1]
    first = at.own_index == 0 and host.token is not None and name == known
    if (as_before or first) and _same_latent(at, call):
        return Placement("follow", name)
    return _leading(at, call, host, known, tentative=True)


def _leading(at: Tracker, call: Call, host: Host, known: str | None, tentative: bool) -> Placement:
    time = None if host.index is not None else _asked(call, host)
    fresh = host.name or "0"
    if known is not None and identical(at.conditioning.get(known, call.conditioning), call.conditioning):
        return Placement("step", known, fresh, "", tentative, time)
    equal = _compare(at, call, list(at.conditioning) if known is None else [known])
    if not equal and not tentative:
        return Placement("run", fresh, fresh, "the conditioning changed", time=time)
    return Placement("step", known or _unused(at), fresh, "", tentative, time, True, equal)


def _following(at: Tracker, call: Call) -> Placement:
    # Made anew at every call, the conditioning has no identity: its values have to tell the streams apart.
    equal = _compare(at, call, [s for s in at.conditioning if s not in at.called])
    return Placement("follow", _unused(at), moved=bool(equal), equal=equal)


def _same_latent(at: Tracker, call: Call) -> bool:
    return at.relaxed or identical(at.latent, call.raw)


def _compare(at: Tracker, call: Call, streams: list[str]) -> dict[str, Reading]:
    alike = [s for s in streams if shapes(at.conditioning[s]) == shapes(call.conditioning)]
    return {s: Reading(same(at.conditioning[s], call.conditioning)) for s in alike}


def _unused(at: Tracker) -> str:
    return unused({*at.conditioning, *at.called, *at.before})


def _new_by_time(at: Tracker, time: float | None) -> bool:
    last = value(at.time)
    if time is None or last is None:
        return False
    return time == value(at.first_time) or (time - last) * at.direction < 0


def _asked(call: Call, host: Host) -> Reading | None:
    # With a step index at hand the time is only for the trace, which can wait.
    return None if host.index is not None or call.time is None else time_reading(call.time)
