"""All streams of a run, and how they hang together: guidance branches kept as differences from the one that leads.

A follower in a call of its own differs from the leading call's output, a row of the leading call from the first row of
its sample. What leads is carried on along its course, and every difference, which guidance multiplies, along its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from navicache.engine.decide.deciders import Deciders
from navicache.engine.decide.lesson import Lesson
from navicache.engine.predict.branches import Branches
from navicache.engine.predict.stream import NOTHING, Keep, Stream
from navicache.engine.run.courses import Courses
from navicache.engine.run.seen import Seen
from navicache.engine.tensors.layout import by_row
from navicache.engine.tensors.rows import Rows, alike, minus, plus, take
from navicache.engine.tracking.batch import Batch
from navicache.policies import Outcome, PredictionWeights, Scheme
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS


@dataclass
class Streams:
    """What was computed, stream by stream, and what is believed of their differences."""

    scheme: Scheme
    keep: Keep
    seen: Seen
    batch: Batch
    deciders: Deciders
    kept: dict[str, Stream] = field(default_factory=dict)
    leader: str | None = None  # of every step, as long as followers are kept as differences from it
    followers: set[str] = field(default_factory=set)  # those that are
    branches: Branches | None = None  # rows of a sample that are kept as differences from its first
    apart: bool = field(init=False)  # followers are kept as differences from the leader, where they can be
    courses: Courses = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is kept yet."""
        self.apart = self.deciders.lead and self.scheme.difference_predictor is not None
        self.courses = Courses(self.scheme.difference_predictor or self.scheme.predictor, self.batch)

    def of(self, name: str) -> Stream:
        """The stream of that name, new where it is called for the first time."""
        found = self.kept.get(name)
        if found is None:
            predictor = self.scheme.predictor
            found = Stream(predictor.history_length, self.keep, self.batch, predictor.needs_past_inputs, self.branches)
            self.kept[name] = found
        return found

    @property
    def inputs(self) -> dict[str, Rows]:
        """The latent of each stream's last computed step."""
        return {name: stream.history[0][0] for name, stream in self.kept.items() if stream.history}

    # -- who leads ----------------------------------------------------------------------------------------------------

    def lead(self, name: str) -> None:
        """A stream leads this step; if another one did before, differences from that one are of no use."""
        if not self.apart:
            return
        if self.leader not in (None, name):
            for lost in self.followers:
                self.kept[lost].forget(self.branches)
            self.apart, self.followers = False, set()
        self.leader = name
        others = (other for other, stream in self.kept.items() if other != name and stream.history)
        if not all(other in self.followers for other in others):  # asked at every step: a branch may come late
            for stream in self.kept.values():
                stream.forgive()  # amends are made together: they must leave differences as they are

    def led(self) -> Rows:
        """What the leader returned at this step, worked out again: kept, it would be a tensor more.

        Nothing where it has gone: the run was over, and one more branch of its last step has come.
        """
        leader = self.leader or ""
        stream = self.kept.get(leader)
        if stream is None or not stream.history:
            return NOTHING
        steps = self.deciders.of(leader).steps
        references = stream.computed_at
        done = [kept[:1] == (step.own_index,) for kept, step in zip(references, steps, strict=True)]
        computed = {row for now, rows in zip(done, self.batch.layout, strict=True) if now for row in rows}
        weights = enumerate(self._weights(leader, stream))
        again = [OUTPUT_HOLD_WEIGHTS if row in computed else weight for row, weight in weights]
        return stream.predict(self.seen.last, again, self.seen.fit)

    # -- predict ------------------------------------------------------------------------------------------------------

    def predict(self, name: str, latent: Rows) -> Rows:
        """What a stream's output is predicted as."""
        stream = self.of(name)
        guess = stream.predict(latent, self._weights(name, stream), self.seen.fit)
        return plus(guess, self.led()) if name in self.followers else guess

    def _weights(self, name: str, stream: Stream) -> list[PredictionWeights]:
        """Row by row, of outputs or of differences, as the stream keeps them."""
        layout, decider, references = self.batch.layout, self.deciders.of(name), stream.computed_at
        if name in self.followers:
            return by_row(layout, self.courses.weights(name, decider, references))
        weights = decider.weights(references)
        if self.branches is None:
            return by_row(layout, weights)
        rows = range(1, len(layout[0]))
        columns = [self.courses.weights((decider.branch, row), decider, references) for row in rows]
        return by_row(layout, weights, [*zip(*columns, strict=True)])

    # -- keep and learn -----------------------------------------------------------------------------------------------

    def adopt_follower(self, name: str, output: Rows) -> None:
        """Keep a stream as its difference from the leader from its first output on, if the two can be subtracted."""
        stream = self.of(name)
        if not self.apart or stream.history:
            return
        leader_output = self.led()
        if leader_output and alike(output, leader_output):
            self.followers.add(name)
            stream.part(None)

    def encode(self, name: str, output: Rows, rows: Sequence[int] | None) -> Rows:
        """An output as it is kept: that of a follower as its difference from what the leader returned."""
        if name in self.followers:
            return minus(output, take(self.led(), rows))
        return self.of(name).kept(output, rows)

    def missed(self, name: str, latent: Rows, kept: Rows, guess: Rows | None, rows: Sequence[int] | None) -> Rows:
        """How far the predicted course is from what was computed; amends it made on the way do not count."""
        stream, course = self.of(name), guess
        weights = self._weights(name, stream)
        if course is None or name in self.followers or any(each.error_weight for each in weights):
            course = stream.predict(latent, [each._replace(error_weight=0.0) for each in weights], self.seen.fit)
        return minus(kept, stream.kept(take(course, rows), rows))

    def mends(self, name: str, leads: bool) -> bool:
        """Whether a stream makes amends: not where rows of one call may be guidance branches and nobody knows.

        Nor a follower that is not kept as a difference: what it is owed, the leader's amends have not paid.
        """
        if not self.apart or not (leads or name in self.followers):
            return False
        predictor = self.scheme.predictor if leads else self.courses.predictor
        known = self.branches is not None or all(len(rows) == 1 for rows in self.batch.layout)
        return known and predictor.needs_last_error

    def learn(self, name: str, sample: int, outcome: Outcome) -> None:
        """Take in what a follower's difference taught."""
        self.courses.learn(name, sample, outcome)

    def learn_rows(self, lesson: Lesson, sample: int) -> None:
        """Take in what the rows of a sample that are kept as differences taught."""
        if self.branches is None:
            return
        decider = self.deciders.of(lesson.stream)
        for place, row in enumerate(self.batch.layout[sample][1:], 1):
            outcome = lesson.outcome(sample, (row,), decider.recorder.number_of)
            if outcome is not None:
                self.courses.learn((decider.branch, place), sample, outcome)

    # -- the run goes on ----------------------------------------------------------------------------------------------

    def part(self, branches: Branches) -> None:
        """Keep guidance branches in one call as those in several are: as differences from the first."""
        self.branches = branches
        for name, stream in self.kept.items():
            stream.part(None if name in self.followers else branches)

    def release(self) -> None:
        """Let all tensors go."""
        self.kept, self.followers = {}, set()
