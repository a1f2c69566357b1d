"""The stream that leads every step, and what the others are kept as: differences from it."""

from navicache.engine.rows import Rows
from navicache.engine.run import Run
from navicache.engine.stream import NOTHING


def led_by(run: Run, name: str) -> None:
    """A stream leads this step; if another one did before, differences from that one are of no use."""
    if run.leader not in (None, name):
        run.apart = False
        for stream in run.streams.values():
            if stream.apart:
                stream.apart, stream.base, stream.history = False, None, []
                stream.branches = run.branches
                stream.keeps_inputs = run.scheme.predictor.keeps_inputs
                stream.computed_at = [()] * len(stream.computed_at)
    run.leader = name
    if not together(run, name):  # asked at every step: a branch may come late
        for stream in run.streams.values():
            stream.missed = NOTHING


def led(run: Run) -> Rows:
    """What the leader returned at this step, worked out again: kept, it would be a tensor more.

    Nothing where it has gone: the run was over, and one more branch of its last step has come.
    """
    stream = run.streams.get(run.leader or "")
    if stream is None or not stream.history:
        return NOTHING
    decider = run.decider(run.leader or "")
    return stream.predict(run.last_seen, decider.row_weights_again(stream.computed_at), run.fit)


def mends(run: Run, name: str, leads: bool) -> bool:
    """Whether a stream makes amends: not where rows of one call may be guidance branches and nobody knows.

    Nor a follower that is not kept as a difference: what it is owed, the leader's amends have not paid.
    """
    if not run.apart or not (leads or run.streams[name].apart):
        return False
    predictor = run.scheme.predictor if leads else run.scheme.apart
    known = run.branches is not None or all(len(rows) == 1 for rows in run.decider(name).layout)
    return known and predictor is not None and predictor.keeps_missed


def together(run: Run, name: str) -> bool:
    """Whether all others go along with a leader, so that amends leave their differences as they are."""
    return all(stream.apart for other, stream in run.streams.items() if other != name and stream.history)
