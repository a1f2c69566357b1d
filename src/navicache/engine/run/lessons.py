"""What was computed and is not learnt yet: it waits on the device until the next decision fetches it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from navicache.engine.decide.decider import NOT_FINITE
from navicache.engine.decide.deciders import Deciders
from navicache.engine.decide.lesson import Lesson, Proof
from navicache.engine.decide.recorder import Recorder
from navicache.engine.run.streams import Streams
from navicache.engine.run.teaching import Found, Work, of_difference, of_output
from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.rows import Rows, mean_abs
from navicache.engine.tracking.batch import Batch


@dataclass
class Lessons:
    """The lessons of a run, oldest first, and those who learn from them."""

    recorder: Recorder
    batch: Batch
    deciders: Deciders
    streams: Streams
    proves: bool  # what is measured crosses before the next decision, so that a broken output can be told in time
    waiting: list[Lesson] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)

    def teach(self, work: Work, found: Found, outputs: Rows, leads: bool) -> None:
        """Queue what the leader shows; of a follower what its difference shows, and that its output is whole."""
        decider, stream = self.deciders.of(work.name), self.streams.of(work.name)
        seen, rows = self.streams.seen, range(self.batch.rows)
        if leads:
            self.waiting.append(of_output(work, found, decider, stream, seen, rows))
            decider.computed(found.moment.own_index, work.samples)
            return
        if work.name in self.streams.followers and stream.history:
            self.waiting.append(of_difference(work, found, decider, stream, seen, rows))
        if self.proves:
            self.proofs.append(Proof(work.name, rows if work.rows is None else work.rows, mean_abs(outputs)))

    def queue(self, lesson: Lesson) -> None:
        """Learn this as well, when it has crossed."""
        self.waiting.append(lesson)

    @property
    def urgent(self) -> bool:
        """Whether anything waits that the next decision or prediction may hang on."""
        return bool(self.proofs) or any(lesson.about != "truth" for lesson in self.waiting)

    def readings(self) -> list[Reading]:
        """All that must cross first."""
        readings = [reading for lesson in self.waiting for reading in lesson.readings.values()]
        return readings + [proof.size for proof in self.proofs]

    def learn(self) -> None:
        """Take in all of them; they have crossed."""
        lessons, proofs, self.waiting, self.proofs = self.waiting, self.proofs, [], []
        for proof in proofs:
            self._doubt(proof)
        for lesson in lessons:
            for sample, rows in enumerate(self.batch.layout):
                self._learn(lesson, sample, rows)
        self.deciders.catch_up()

    def _learn(self, lesson: Lesson, sample: int, rows: Sequence[int]) -> None:
        outcome = lesson.outcome(sample, rows if self.streams.branches is None else rows[:1], self.recorder.number_of)
        if outcome is None:
            return
        if lesson.about == "difference":
            self.streams.learn(lesson.stream, sample, outcome)
        elif lesson.about == "truth":
            self.recorder.amend(outcome.own_index, lesson.stream, sample, {"reuse_error": outcome.prediction_error})
        else:
            if lesson.broken(rows):  # whichever of its rows
                outcome = outcome._replace(output_size=math.nan)
            self.deciders.of(lesson.stream).learn(lesson.stream, sample, outcome)
            self.streams.learn_rows(lesson, sample)

    def _doubt(self, proof: Proof) -> None:
        broken, stream = proof.broken(), self.streams.kept.get(proof.stream)
        if broken and stream is not None:
            self.recorder.note(NOT_FINITE)
            stream.doubt([n for n, rows in enumerate(self.batch.layout) if broken.intersection(rows)])

    def release(self) -> None:
        """Nothing is reused any more; what the trace is to show still comes."""
        self.proofs = []
