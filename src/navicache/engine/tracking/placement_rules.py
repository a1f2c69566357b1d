"""Rules that place a call in a run, a step and a stream, without counting calls where facts are available.

The facts that a caller has (a cache context, a scheduler) place most calls without the device. Without them, time,
latent and conditioning are compared, in the one transfer that a leading call makes anyway; only a call that
breaks the pattern of the step before costs a transfer of its own.
"""

from navicache.engine.tensors.device_readings import (
    DeviceReading,
    compute_time_change,
    create_time_reading,
    get_time_range,
)
from navicache.engine.tensors.rows import compare_values, list_shapes, share_memory
from navicache.engine.tracking.bypass_causes import queue_level_check
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.placement import CallFacts, CallPlacement, choose_unused_name, number_repeated_stream
from navicache.engine.tracking.run_tracker import RunTracker

ANOTHER_SHAPE, TIME_BACK = "another shape, dtype or device", "the time went back"  # why a run begins


def place_call(tracker: RunTracker, call: ModelCall, call_facts: CallFacts) -> CallPlacement:
    """Place a call without waiting for the device; what is still open becomes readings of the placement."""
    if (
        call_facts.index == tracker.call_facts.index
        and not tracker.new_run_reason
        and _is_sure_follower(tracker, call, call_facts)
    ):
        return CallPlacement("follow", call_facts.stream or "")
    why = _find_new_run_reason(tracker, call, call_facts)
    if why:
        fresh = call_facts.stream or "0"
        return CallPlacement("run", fresh, fresh, why, time=_queue_time_reading(call, call_facts))
    known = _find_stream_by_conditioning(tracker, call) if call_facts.stream is None else call_facts.stream
    if call_facts.index is not None and call_facts.index != tracker.call_facts.index:
        return _place_leading_call(tracker, call, call_facts, known, is_tentative=tracker.is_done)
    if known is None:
        told = call_facts.index is not None or (tracker.local_index == 0 and call_facts.run_token is not None)
        sure = told and (tracker.is_done or _has_same_latent(tracker, call))
        if sure:
            return _place_unnamed_follower(tracker, call)
        return _place_leading_call(tracker, call, call_facts, known, is_tentative=True)
    return _place_known_stream(tracker, call, call_facts, known)


def list_placement_readings(tracker: RunTracker, placement: CallPlacement) -> list[DeviceReading]:
    """What must be fetched before `resolve_placement`."""
    asked = () if placement.time is None else (placement.time, tracker.first_time, tracker.time)
    return [*(reading for reading in (*asked, placement.levels) if reading), *placement.conditioning_matches.values()]


def resolve_placement(tracker: RunTracker, placement: CallPlacement, latent_unchanged: bool) -> CallPlacement:
    """Make a placement final, after its readings were fetched; `latent_unchanged` means a bit-equal latent."""
    if placement.is_certain:
        return placement
    equal = [stream for stream, flag in placement.conditioning_matches.items() if flag.values[0]]
    free = [stream for stream in equal if stream not in tracker.called_streams]
    is_time_unknown = tracker.is_done and placement.time is None
    same_time = get_time_range(placement.time) == get_time_range(tracker.time) and not is_time_unknown
    repeated = placement.stream in tracker.called_streams or (bool(equal) and not free)
    # A branch may have a latent of its own: the run's own scheduler has not moved, and neither has the time.
    stands = placement.time is not None or tracker.local_index == 0
    is_branch = stands and tracker.run_token is not None and not repeated
    if placement.kind == "follow" or (placement.is_tentative and same_time and (latent_unchanged or is_branch)):
        if repeated and tracker.local_index == 0 and tracker.run_token is None:
            return placement.as_new_run("the first step again")
        stream = number_repeated_stream([*free, *equal, placement.stream][0], tracker.called_streams)
        return placement._replace(kind="follow", stream=stream)
    if tracker.is_done:
        return placement.as_new_run("the run before was over")
    if _is_new_run_by_time(tracker, placement.time):
        return placement.as_new_run(TIME_BACK)
    if placement.is_conditioning_moved and not equal:
        return placement.as_new_run("the conditioning changed")
    return placement._replace(stream=equal[0] if equal else placement.stream)


def _is_sure_follower(tracker: RunTracker, call: ModelCall, call_facts: CallFacts) -> bool:
    """At a step known by its number: named, not yet called, and handed the very latent of the leading call."""
    if call_facts.index is None or call_facts.stream is None or call_facts.run_token is not tracker.run_token:
        return False
    return call_facts.stream not in tracker.called_streams and _has_same_latent_object(tracker, call)


def _has_same_latent_object(tracker: RunTracker, call: ModelCall) -> bool:
    return (
        bool(tracker.latent)
        and call.model_latent[0] is tracker.latent[0]
        and call.call_form == tracker.run_invariants[-1]
    )


def _find_new_run_reason(tracker: RunTracker, call: ModelCall, call_facts: CallFacts) -> str:
    if tracker.new_run_reason:
        return tracker.new_run_reason
    if call_facts.run_token is not None and call_facts.run_token is not tracker.run_token:
        return "new timesteps"
    if call_facts.index is not None and tracker.call_facts.index is not None:
        if call_facts.index < tracker.call_facts.index:
            return "the step index went back"
        if (
            call_facts.run_token is None
            and call_facts.index == tracker.call_facts.index == 0
            and call_facts.stream in tracker.called_streams
        ):
            return "step 0 again"
    same = (
        call_facts.index == tracker.call_facts.index and _has_same_latent_object(tracker, call)
    ) or call.run_invariants == tracker.run_invariants
    return "" if same else ANOTHER_SHAPE


def _find_stream_by_conditioning(tracker: RunTracker, call: ModelCall) -> str | None:
    return next((s for s, kept in tracker.conditioning.items() if share_memory(kept, call.conditioning)), None)


def _place_known_stream(
    tracker: RunTracker, call: ModelCall, call_facts: CallFacts, known_stream: str
) -> CallPlacement:
    """Place a call of a known stream: a follower in this step, or the leading call of the next step."""
    name = number_repeated_stream(known_stream, tracker.called_streams)
    if name == known_stream and call_facts.index is not None:
        return CallPlacement("follow", name)
    as_before = [*tracker.called_streams, name] == tracker.previous_streams[: len(tracker.called_streams) + 1]
    first = tracker.local_index == 0 and call_facts.run_token is not None and name == known_stream
    if (as_before or first) and _has_same_latent(tracker, call):
        return CallPlacement("follow", name)
    return _place_leading_call(tracker, call, call_facts, known_stream, is_tentative=True)


def _place_leading_call(
    tracker: RunTracker, call: ModelCall, call_facts: CallFacts, known_stream: str | None, is_tentative: bool
) -> CallPlacement:
    time = None if call_facts.index is not None else _queue_time_reading(call, call_facts)
    levels, fresh = None if time is None else queue_level_check(call.time), call_facts.stream or "0"
    if known_stream is not None and share_memory(
        tracker.conditioning.get(known_stream, call.conditioning), call.conditioning
    ):
        return CallPlacement("step", known_stream, fresh, "", is_tentative, time, levels)
    equal = _compare_conditioning(tracker, call, list(tracker.conditioning) if known_stream is None else [known_stream])
    if not equal and not is_tentative:
        return CallPlacement("run", fresh, fresh, "the conditioning changed", time=time)
    stream = known_stream or _choose_new_stream(tracker)
    return CallPlacement("step", stream, fresh, "", is_tentative, time, levels, True, equal)


def _place_unnamed_follower(tracker: RunTracker, call: ModelCall) -> CallPlacement:
    # Conditioning that is created at every call has no identity: its values have to distinguish the streams.
    equal = _compare_conditioning(tracker, call, [s for s in tracker.conditioning if s not in tracker.called_streams])
    stream = _choose_new_stream(tracker)
    return CallPlacement("follow", stream, is_conditioning_moved=bool(equal), conditioning_matches=equal)


def _has_same_latent(tracker: RunTracker, call: ModelCall) -> bool:
    return tracker.ignores_latent or share_memory(tracker.latent, call.model_latent)


def _compare_conditioning(tracker: RunTracker, call: ModelCall, streams: list[str]) -> dict[str, DeviceReading]:
    alike = [s for s in streams if list_shapes(tracker.conditioning[s]) == list_shapes(call.conditioning)]
    return {s: DeviceReading(compare_values(tracker.conditioning[s], call.conditioning)) for s in alike}


def _choose_new_stream(tracker: RunTracker) -> str:
    return choose_unused_name({*tracker.conditioning, *tracker.called_streams, *tracker.previous_streams})


def _is_new_run_by_time(tracker: RunTracker, time: DeviceReading | None) -> bool:
    change = compute_time_change(time, tracker.time)
    if change is None:
        return False
    return get_time_range(time) == get_time_range(tracker.first_time) or change * tracker.time_direction < 0


def _queue_time_reading(call: ModelCall, call_facts: CallFacts) -> DeviceReading | None:
    # With a step index at hand the time is only for the trace, which can wait.
    return None if call_facts.index is not None or call.time is None else create_time_reading(call.time)
