"""Everything that lives as long as one run, and dies with it."""

from dataclasses import dataclass, field
from typing import Any

from navicache.engine.decide.deciders import Deciders, measured
from navicache.engine.decide.recorder import Recorder
from navicache.engine.errors import CannotCache
from navicache.engine.predict.branches import Branches
from navicache.engine.predict.stream import NOTHING, Keep
from navicache.engine.run.lessons import Lessons
from navicache.engine.run.seen import Seen
from navicache.engine.run.streams import Streams
from navicache.engine.run.teaching import Found, Work
from navicache.engine.tensors.containers import Output, check_rows, unpack
from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.fit import fit
from navicache.engine.tensors.rows import Rows, mean_abs, minus, put
from navicache.engine.tracking.batch import Batch
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.placement import Kind
from navicache.engine.tracking.tracker import Moment, Tracker
from navicache.models import ArgumentKey
from navicache.policies import Decision, Scheme

FOLLOWS = {compute: Decision(compute, "follows") for compute in (True, False)}


@dataclass
class Run:
    """What is known: the latent, its samples, who decides, what was computed, and what it has yet to teach."""

    scheme: Scheme
    recorder: Recorder
    keep: Keep
    rows: int
    channel_dim: int | None = None
    aside: str = ""  # why nothing is reused in this run
    verdicts: list[Decision] = field(default_factory=list)  # on the newest step, sample by sample
    seen: Seen = field(default_factory=Seen)
    batch: Batch = field(init=False)
    deciders: Deciders = field(init=False)
    streams: Streams = field(init=False)
    lessons: Lessons = field(init=False)
    lead: bool = field(init=False)  # one stream decides for all
    watches: bool = field(init=False)  # a signal of the gate's own is measured
    reads: frozenset[str] = field(init=False)  # changes of the latent that are measured
    by_data: bool = field(init=False)  # no step is decided without its measurements
    in_time: bool = field(init=False)  # nor without what the computes before it have taught

    def __post_init__(self) -> None:
        """Put the parts together, and look up once what is asked at every call."""
        scheme, gate = self.scheme, self.scheme.gate
        self.batch = Batch(self.rows, settled=self.rows == 1 or gate.rows == "call" or scheme.site != "model")
        self.deciders = Deciders(scheme, self.recorder, self.batch, self.channel_dim)
        self.streams = Streams(scheme, self.keep, self.seen, self.batch, self.deciders)
        self.lessons = Lessons(self.recorder, self.batch, self.deciders, self.streams, bool(gate.reads))
        self.lead, self.watches = self.deciders.lead, scheme.signal != "input" and bool(gate.reads)
        self.reads = measured(scheme) if scheme.signal == "input" else frozenset()
        self.by_data, self.in_time = bool(gate.reads - {"outcome"}), bool(gate.reads)

    # -- a step begins ------------------------------------------------------------------------------------------------

    def begin(self, call: Call, total: int | None, align_steps: int) -> None:
        """See the latent of the first step, or leave alone a run that has hardly one to spare."""
        if total is None and self.scheme.computes_last_step:
            self.recorder.note("the number of steps is unknown, so the last one is not forced: enable(..., steps=N)")
        if total is not None and total < max(align_steps + 3, self.scheme.min_total_steps):
            self._step_aside(total, align_steps)
        else:
            self.seen.see(call, call.latent)
            self.batch.watch(call.latent)

    def look(self, call: Call, stream: str, tentative: bool) -> Reading | None:
        """Measure and take over the latent of a step that this stream leads; the reading is 0 for the same latent."""
        seen, reads, latent = self.seen, self.reads, self.seen.inner(call.latent)
        change = minus(latent, seen.last) if tentative or "since_seen" in reads or "by_channel" in reads else None
        moved = mean_abs(change) if tentative and change is not None else None
        if reads:
            self.deciders.measure(change, latent, stream, self.streams.inputs if "since_computed" in reads else {})
        if not self.batch.settled:
            self.batch.watch(latent)
        seen.see(call, latent)  # copied while the device is busy measuring
        return moved

    @property
    def needs_transfer(self) -> bool:
        """Whether a step that is not decided by data can only be predicted by numbers that are still on the device."""
        return bool(self.batch.flags) or (self.in_time and self.lessons.urgent)

    def learn(self, kind: Kind, looked: bool) -> None:
        """Take in what has crossed, now that the kind of the call is known; `looked`: the latent was measured."""
        if looked and kind == "follow":  # it was the same step once more
            self.batch.take_back()
            if self.reads:
                self.deciders.take_back()
        elif looked and self.batch.flags:
            self._settle_batch()
        if self.lessons.waiting or self.lessons.proofs or self.scheme.monitor is not None:
            self.lessons.learn()

    def _settle_batch(self) -> None:
        """Split the batch into samples, once two steps have been looked at."""
        layout = self.batch.settle()
        if self.scheme.difference_predictor is not None and any(len(rows) > 1 for rows in layout):
            self.streams.part(Branches(layout))

    def decide(self, at: Tracker, stream: str) -> None:
        """The verdicts of a step: new ones, or the leader's for those who follow."""
        if self.aside:
            self.recorder.add(at.own_index, stream, 0, Decision(True, self.aside))
        elif self.lead and len(at.called) > 1:
            for sample, verdict in enumerate(self.verdicts):
                self.recorder.add(at.own_index, stream, sample, FOLLOWS[verdict.compute])
        else:
            elements = self.seen.elements // len(self.batch.layout)
            self.verdicts = self.deciders.of(stream).decide(at.moment, stream, elements, self.seen.fits)

    # -- compute or predict -------------------------------------------------------------------------------------------

    def work(self, own_index: int, name: str, call: Call) -> Work | None:
        """What the model is to do, None where all can be predicted; asked before it may write to its input.

        To compute are the samples decided for, and those with no reference from the last computed step.
        """
        decider, references = self.deciders.of(name), self.streams.of(name).computed_at
        samples: list[int] = []
        for sample, verdict in enumerate(self.verdicts):
            if verdict.compute:
                samples.append(sample)
            elif references[sample] and references[sample] == decider.computed_at[sample]:  # by far the most frequent
                continue
            elif not decider.serves(sample, references[sample]):
                samples.append(sample)
                self.recorder.amend(own_index, name, sample, {"computed": True, "reason": "no reference"})
        return Work(name, call, self.seen.owned(call), samples, self.batch.rows_of(samples)) if samples else None

    def predicted(self, name: str, call: Call) -> Any:
        """A stream's output as it is predicted, in the container the model would return."""
        return self.streams.of(name).packed(self.streams.predict(name, self.seen.inner(call.latent)))

    def computed(self, work: Work, result: Any, moment: Moment, place: ArgumentKey | None, leads: bool) -> Any:
        """Learn from a result and keep it; returned as it is, or with predicted rows around it."""
        output, name, rows = unpack(result, place, work.call.listed), work.name, work.rows
        check_rows(output, self.rows if rows is None else len(rows))
        latent = work.latent if self.seen.fitted else self._settle_fit(work, output)
        streams, stream = self.streams, self.streams.of(name)
        guess = streams.predict(name, latent) if stream.history and (leads or rows is not None) else None
        if not leads and rows is None:
            streams.adopt_follower(name, output.rows)
        kept = streams.encode(name, output.rows, rows)
        mends = bool(stream.history) and streams.mends(name, leads)
        missed = streams.missed(name, latent, kept, guess, rows) if mends else NOTHING
        self.lessons.teach(work, Found(moment, latent, kept, guess, missed), output.rows, leads)
        stream.remember(latent, output._replace(rows=kept), rows, missed, shared=latent is self.seen.last)
        stream.computed(moment.own_index, work.samples)
        return result if rows is None or guess is None else stream.packed(put(guess, rows, output.rows))

    def _settle_fit(self, work: Work, output: Output) -> Rows:
        """Find out from the first output how the latent lies in input and output; returns its part of the input."""
        try:
            found = fit(work.call.latent, output.rows)
        except CannotCache:
            weights = self.deciders.of(work.name).weights(self.streams.of(work.name).computed_at)
            if "by_channel" in self.reads or any(w.input or any(x for x, _ in w.references) for w in weights):
                raise
            found = None
        latent = self.seen.settle(found, work.latent)
        if self.seen.fit.width is not None:
            self.batch.watch_again(self.seen.last)
        return latent

    # -- it goes on, or is over ---------------------------------------------------------------------------------------

    def waiting(self) -> list[Reading]:
        """All readings that have not crossed."""
        waiting = self.deciders.waiting()
        if self.lessons.waiting or self.lessons.proofs:
            waiting += self.lessons.readings()
        return waiting + self.batch.waiting() if self.batch.flags else waiting

    def _step_aside(self, total: int, align_steps: int) -> None:
        self.aside = "too few steps"
        why = f"a run of {total} steps has hardly one to spare (a target of your own, speedup=..., would insist)"
        if total < align_steps + 3:
            why = f"{total} steps leave next to nothing to reuse after {align_steps} to align"
        self.recorder.note(f"{why}: stepped aside, every step is computed")

    def leave_ranks(self) -> None:
        """Compute from here on: that is what the other ranks do as well."""
        self.aside = "ranks apart"
        self.recorder.note("ranks of the group were not at the same step: every step was computed from there on")
        self.release()

    def release(self) -> None:
        """Let all tensors go but the measurements on their way to the trace."""
        for part in (self.streams, self.seen, self.deciders, self.lessons):
            part.release()
