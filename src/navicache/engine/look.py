"""The leading call of a step: measure its input, and fetch all that waits in one transfer."""

from collections.abc import Callable, Iterable

from navicache.engine.call import Call
from navicache.engine.fetch import Reading, fetch
from navicache.engine.placement import Placement
from navicache.engine.rows import mean_abs, minus
from navicache.engine.run import Run
from navicache.engine.tracker import Tracker


def look(
    run: Run, tracker: Tracker, call: Call, placement: Placement, door: Callable[[Iterable[Reading]], None] = fetch
) -> Placement:
    """Settle where the call belongs, and let the deciders learn: the one device sync of a step.

    Where ranks decide together, `door` is theirs, and every one of them goes through it at every step.
    """
    certain = placement.certain
    questions = [] if certain else tracker.open_questions(placement)
    if run.aside or tracker.done:  # no latent is kept to compare with; the time has to do
        door(questions)
        return tracker.settle(placement, unchanged=True)
    latent = run.inner(call.latent)
    change = minus(latent, run.last_seen) if placement.tentative or run.reads_change else None
    run.measure(placement.stream, latent, change)
    moved = [mean_abs(change)] if placement.tentative and change is not None else []
    run.watch_layout(latent)
    run.see(call, latent)  # copied while the device is busy measuring
    needed = bool(run.reads or questions or run.flags or moved or door is not fetch)
    if needed:
        door([*questions, *moved, *run.waiting()])
    if not certain:
        placement = tracker.settle(placement, unchanged=bool(moved) and not any(moved[0].values))
        if placement.kind == "follow":
            run.take_back()  # it was the same step once more
    if run.flags and placement.kind == "step":
        run.settle_layout()
    if needed:
        run.learn()
    return placement
