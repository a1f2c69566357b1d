"""What a computed call teaches: measured on the device now, learnt when it has crossed."""

from typing import NamedTuple

from navicache.engine.decide.decider import Decider
from navicache.engine.decide.lesson import Lesson
from navicache.engine.predict.stream import Stream
from navicache.engine.run.seen import Seen
from navicache.engine.tensors.rows import Rows, take
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.tracker import Moment


class Work(NamedTuple):
    """A call of one stream that the model is to answer, for some samples or for all."""

    name: str
    call: Call
    latent: Rows  # the engine's own copy of the latent part, from before the model ran
    samples: list[int]
    rows: list[int] | None  # of those samples; None for all rows


class Found(NamedTuple):
    """What has come of it."""

    moment: Moment
    latent: Rows
    kept: Rows  # the output in the form in which it is kept
    guess: Rows | None  # what the output would have been predicted as
    missed: Rows  # by the prediction; nothing where that is not made up for


def of_output(work: Work, found: Found, decider: Decider, stream: Stream, seen: Seen, all_rows: range) -> Lesson:
    """What an output shows against the one computed before."""
    rows, inner = work.rows, seen.inner
    pairs = zip(decider.computed_at, stream.computed_at, strict=True)
    since = [last if last and last == kept else None for last, kept in pairs]
    old, guessed = None, None
    if found.guess is not None and any(since[sample] is not None for sample in work.samples):
        x, _ = stream.history[0]
        outputs_before = [inner(take(y, rows)) for _, y in stream.history]
        old, guessed = (take(x, rows), outputs_before), inner(stream.kept(take(found.guess, rows), rows))
    readings = decider.gauge.compute(take(found.latent, rows), inner(found.kept), old, guessed)
    if found.missed and stream.missed:
        readings |= decider.gauge.misses(inner(found.missed), inner(take(stream.missed, rows)))
    return Lesson(found.moment, work.name, all_rows if rows is None else rows, since, readings)


def of_difference(work: Work, found: Found, decider: Decider, stream: Stream, seen: Seen, all_rows: range) -> Lesson:
    """What a follower's difference from the leader shows against those before."""
    rows, inner = work.rows, seen.inner
    readings = decider.gauge.difference(inner(found.kept), [inner(take(y, rows)) for _, y in stream.history])
    if found.missed and stream.missed:
        readings |= decider.gauge.misses(inner(found.missed), inner(take(stream.missed, rows)))
    since = [steps or None for steps in stream.computed_at]
    return Lesson(found.moment, work.name, all_rows if rows is None else rows, since, readings, "difference")
