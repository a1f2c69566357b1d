"""The stream that leads every step, and what the others are kept as: differences from it."""

from navicache.engine.rows import Rows
from navicache.engine.run import Run
from navicache.engine.stream import NOTHING


def led_by(run: Run, name: str) -> None:
    """A stream leads this step; if another one did before, differences from that one are of no use."""
    if run.leader not in (None, name):
        run.apart = False
        no_amends(run)
        for stream in run.streams.values():
            if stream.apart:
                stream.apart, stream.base, stream.history = False, None, []
                stream.keeps_inputs = run.scheme.predictor.keeps_inputs
                stream.computed_at = [()] * len(stream.computed_at)
    run.leader = name


def led(run: Run) -> Rows:
    """What the leader returned at this step, worked out again: kept, it would be a tensor more."""
    name = run.leader or ""
    stream, decider = run.stream(name), run.decider(name)
    return stream.predict(run.last_seen, decider.weights_again(stream.computed_at), decider.layout, run.fit)


def mends(run: Run, name: str) -> bool:
    """Whether a stream makes amends: with it all that follow it, so that their differences stay as they are."""
    followers = [stream for other, stream in run.streams.items() if other != name]
    alone = all(len(rows) == 1 for rows in run.decider(name).layout)  # guidance branches are not rows of one call
    return run.scheme.predictor.keeps_missed and run.apart and alone and all(stream.apart for stream in followers)


def no_amends(run: Run) -> None:
    """There is a branch that would not go along."""
    for stream in run.streams.values():
        stream.missed = NOTHING
