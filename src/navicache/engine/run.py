"""Everything that lives as long as one run, and dies with it."""

from dataclasses import dataclass, field

from torch import Tensor

from navicache.engine.branches import Branches
from navicache.engine.call import Call
from navicache.engine.decider import NOT_FINITE, Decider
from navicache.engine.fetch import Reading
from navicache.engine.fit import Fit
from navicache.engine.layout import Layout, agreement, settle
from navicache.engine.proof import Proof
from navicache.engine.recorder import Recorder
from navicache.engine.rows import Rows, count, identical, own
from navicache.engine.stream import Keep, Stream
from navicache.policies import Scheme, Verdict

LEAD = "*"  # the decider all streams share


@dataclass
class Run:
    """Streams, deciders and the latent last seen."""

    scheme: Scheme
    recorder: Recorder
    keep: Keep
    channel_dim: int | None = None
    rows: int = 1
    elements: int = 0  # of the latent, over all samples
    aside: str = ""  # why nothing is reused in this run
    fit: Fit = Fit()  # before the first output, as if the latent were all of input and output
    fits: bool = True  # False: they have no part of the same form
    fitted: bool = False  # there has been an output
    input: Rows = ()  # the latent of this step, as the caller holds it
    last_seen: Rows = ()  # its copy, which nobody else can write to
    streams: dict[str, Stream] = field(default_factory=dict)
    texts: dict[str, Tensor] = field(default_factory=dict)  # what the blocks have added to each stream's text
    deciders: dict[str, Decider] = field(default_factory=dict)
    flags: list[list[Reading]] = field(default_factory=list)  # which rows agree, at the first two steps
    layout: Layout = ()  # rows of each sample, once they are known to be several
    settled: bool = False  # it is known which rows make up a sample
    branches: Branches | None = None  # rows of a sample that are kept as differences from its first
    verdicts: list[Verdict] = field(default_factory=list)
    leader: str | None = None  # the stream that leads every step, as long as followers are kept as differences from it
    proofs: list[Proof] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look up once what is asked at every call."""
        self.settled = self.rows == 1 or self.scheme.gate.rows == "call" or self.scheme.site != "model"
        self.lead = self.scheme.gate.streams == "lead"
        self.apart = self.lead and self.scheme.apart is not None
        self.reads = self.scheme.gate.reads if self.scheme.signal == "input" else frozenset()
        self.fetches = bool(self.scheme.gate.reads)  # what is measured crosses before the next decision
        self.reads_computed = "since_computed" in self.reads
        self.reads_change = bool(self.reads & {"since_seen", "by_channel"})

    def decider(self, stream: str) -> Decider:
        """Who decides for a stream."""
        key = LEAD if self.lead else stream
        if key not in self.deciders:
            known = {"branch": len(self.deciders), "fits": self.fits}
            self.deciders[key] = Decider(self.scheme, self.recorder, self.channel_dim, **known)
            self.deciders[key].begin(self.rows)
            if self.layout:
                self.deciders[key].split(self.layout)
            if self.branches is not None:
                self.deciders[key].part()
        return self.deciders[key]

    def stream(self, name: str) -> Stream:
        """The stream of that name, new where it is called for the first time."""
        if name not in self.streams:
            samples = len(self.decider(name).layout)
            predictor, form = self.scheme.predictor, {"computed_at": [()] * samples, "branches": self.branches}
            self.streams[name] = Stream(predictor.order, self.keep, **form, keeps_inputs=predictor.keeps_inputs)
        return self.streams[name]

    def computing(self, index: int, name: str, decider: Decider, stream: Stream) -> list[int]:
        """Samples to compute: those decided for, and those with no reference from the last computed step."""
        samples: list[int] = []
        for sample, verdict in enumerate(self.verdicts):
            reference = stream.computed_at[sample]
            if verdict.compute:
                samples.append(sample)
            elif reference and reference == decider.computed_at[sample]:  # by far the most frequent case
                continue
            elif not decider.serves(sample, reference):
                samples.append(sample)
                self.recorder.amend(index, name, sample, {"computed": True, "reason": "no reference"})
        return samples

    def computed_input(self, name: str) -> Rows | None:
        """The latent of a stream's last computed step."""
        stream = self.streams.get(name)
        return stream.history[0][0] if stream is not None and stream.history else None

    def inner(self, latent: Rows) -> Rows:
        """The latent part of an input."""
        return latent if self.fit.width is None else self.fit.inner(latent)

    def see(self, call: Call, inner: Rows) -> None:
        """Take over the latent of a new step, and copy what of it is measured."""
        self.input, self.last_seen = call.latent, own(inner)
        self.elements = self.elements or sum(chunk.numel() for chunk in self.last_seen)

    def owned(self, call: Call) -> Rows:
        """A latent part that can be kept: the step's own copy where the caller handed in the same tensor."""
        return self.last_seen if identical(self.input, call.latent) else own(self.inner(call.latent))

    def watch_layout(self, latent: Rows) -> None:
        """Ask which rows could be guidance branches of one sample."""
        if not self.settled:
            self.flags.append([Reading(flag) for flag in agreement(latent)])

    def settle_layout(self) -> None:
        """Split the batch into samples, once two steps have been looked at."""
        layout = settle(self.rows, *([flag.values[0] for flag in flags] for flags in self.flags))
        self.flags, self.settled = [], True
        if len(layout) > 1:
            self.layout = layout
            self.recorder.split(len(layout))
            for decider in self.deciders.values():
                decider.split(layout)
            for stream in self.streams.values():
                stream.computed_at = stream.computed_at * len(layout)
        if self.scheme.apart is not None and any(len(rows) > 1 for rows in layout):
            self._part(Branches(layout))

    def _part(self, branches: Branches) -> None:
        """Keep guidance branches in one call as those in several are: as differences from the first."""
        self.branches = branches
        for decider in self.deciders.values():
            decider.part()
        for stream in self.streams.values():
            stream.part(None if stream.apart else branches)

    def learn(self) -> None:
        """Take in all lessons; they have crossed."""
        for proof in self.proofs:
            self._doubt(proof)
        self.proofs = []
        for decider in self.deciders.values():
            if decider.lessons:
                decider.learn()

    def _doubt(self, proof: Proof) -> None:
        """Without a reference a stream computes, whatever the leader does."""
        stream, broken = self.streams.get(proof.stream), proof.broken()
        if broken and stream is not None:
            self.recorder.note(NOT_FINITE)
            for sample, rows in enumerate(self.decider(proof.stream).layout):
                stream.computed_at[sample] = () if broken.intersection(rows) else stream.computed_at[sample]

    def step_aside(self, total: int, align_steps: int) -> None:
        """Leave a run alone that is over almost as soon as it is aligned, or has no step to spare."""
        self.aside = "too few steps"
        why = (
            f"{total} steps leave next to nothing to reuse after {align_steps} to align"
            if total < align_steps + 3
            else f"a run of {total} steps has hardly one to spare (a target of your own, speedup=..., would insist)"
        )
        self.recorder.note(f"{why}: stepped aside, every step is computed")

    def leave_ranks(self) -> None:
        """Compute from here on: that is what the other ranks do as well."""
        self.aside = "ranks apart"
        self.recorder.note("ranks of the group were not at the same step: every step was computed from there on")
        self.release()

    def renumber(self, wrong: int, right: int) -> None:
        """Correct the number of a step that turned out to be someone else's."""
        self.recorder.renumber(wrong, right)
        for kept in (*self.deciders.values(), *self.streams.values()):
            kept.computed_at = [tuple(right if i == wrong else i for i in steps) for steps in kept.computed_at]
        for decider in self.deciders.values():
            for lesson in decider.lessons:
                lesson.moment = lesson.moment._replace(index=right)

    def release(self) -> None:
        """Let all tensors go but the measurements on their way to the trace."""
        self.streams, self.texts, self.input, self.last_seen = {}, {}, (), ()
        self.proofs = []
        for decider in self.deciders.values():
            decider.watch.release()

    def measure(self, stream: str, latent: Rows, change: Rows | None) -> None:
        """Queue what the deciders want to know of a step that this stream leads."""
        for name, decider in self.deciders.items():
            computed = self.computed_input(stream if name == LEAD else name) if self.reads_computed else None
            decider.measure(change, latent, computed)

    def take_back(self) -> None:
        """Forget a look at what turned out to be the same step."""
        self.flags = self.flags[:1]
        for decider in self.deciders.values():
            decider.readings = decider.before

    def waiting(self) -> list[Reading]:
        """All readings that have not crossed."""
        waiting: list[Reading] = []
        for decider in self.deciders.values():
            waiting += decider.waiting()
        for flags in self.flags:
            waiting += flags
        return [*waiting, *(proof.size for proof in self.proofs)]


def new_run(scheme: Scheme, recorder: Recorder, keep: Keep, channel_dim: int | None, call: Call) -> Run:
    """A run that begins with this call."""
    return Run(scheme, recorder, keep, channel_dim, rows=count(call.latent))
