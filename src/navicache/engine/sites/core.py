"""What the cache does at every site: place the call, learn, decide, close."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import Tensor

from navicache.engine.decide.recorder import Recorder
from navicache.engine.predict.stream import Keep
from navicache.engine.ranks import Doing, Door, FindRanks, alone
from navicache.engine.run.run import Run
from navicache.engine.tensors.fetch import Reading, fetch
from navicache.engine.tensors.rows import count
from navicache.engine.tensors.spectrum import filtered, noise_level
from navicache.engine.tracking.call import Call, Reader
from navicache.engine.tracking.place import open_questions, place, settle
from navicache.engine.tracking.placement import Host, Placement
from navicache.engine.tracking.tracker import Tracker
from navicache.models import CallSpec
from navicache.policies import FilteredLatent, Policy, Scheme, collect_knob_values
from navicache.records import ShadowMode, Trace

Forward = Callable[..., Any]


class Core(ABC):
    """The part of an engine that knows runs, steps and streams, but not what is replaced."""

    def __init__(
        self,
        policy: Policy,
        reader: Reader,
        *,
        model: str,
        call: CallSpec | None = None,
        keep: Keep | None = None,
        surroundings: Callable[[], Host] = Host,
        shadow: ShadowMode | None = None,
        find_ranks: FindRanks = alone,
    ) -> None:
        """Set up for the first run; no tensor is kept yet."""
        self.scheme: Scheme = policy.schemes()[0]
        self.policy, self.reader, self.call = policy, reader, call or CallSpec()
        self.keep, self.surroundings, self.shadow = keep or Keep(), surroundings, shadow
        about = {"model": model, "policy": policy.name, "settings": collect_knob_values(policy)}
        self.recorder = Recorder(self.scheme.gate, **about, shadow=shadow, belief=self.scheme.error_field)
        self.at, self.door = Tracker(), Door(find_ranks)
        self.run: Run | None = None

    @abstractmethod
    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What stands in place of the model's forward."""

    @abstractmethod
    def attach(self) -> None:
        """Reach into the model, where that is needed."""

    @abstractmethod
    def detach(self) -> None:
        """Leave the model as it was."""

    @abstractmethod
    def drop(self) -> None:
        """Let go of what this site itself keeps for a run: it is over, or another begins."""

    @property
    def leads(self) -> bool:
        """Whether what the newest call computes teaches its gate."""
        return len(self.at.called) == 1 or not (self.run is not None and self.run.lead)

    def enter(self, call: Call, host: Host) -> tuple[Run, str]:
        """Find run, step and stream, learn what has crossed since, and decide."""
        told, host = host, self.at.trusted(host)
        (placement, there), run = self._place(call, host), self.run
        if run is None or placement.kind == "run":
            host = told  # a new run believes its scheduler until that stands still
            run = self._begin(call, host, placement)
        if not there:
            self._move(run, call, host, placement)
        if run.watches and self.leads and not run.aside:
            self._watch(run, call, placement.stream)
        run.decide(self.at, placement.stream)
        return run, placement.stream

    def _place(self, call: Call, host: Host) -> tuple[Placement, bool]:
        """Where the call belongs, and whether the position is there already; what must be asked for it, crosses."""
        placement, own_index = place(self.at, call, host), self.at.own_index
        if placement.kind == "step" and self.run is not None:
            return self._look(self.run, call, host, placement)
        if placement.kind == "follow" and placement.moved:
            self._cross(placement.equal.values(), call, "follow", own_index)
            placement = settle(self.at, placement, unchanged=True)
        elif placement.kind == "run":
            self.door.meet()
            self._cross((), call, "run", own_index)
        return placement, False

    def _look(self, run: Run, call: Call, host: Host, placement: Placement) -> tuple[Placement, bool]:
        """The leading call of a step: measure its input and fetch all that waits, in one sync; ranks all pass here."""
        certain, at, own_index = placement.certain, self.at, self.at.own_index
        questions = [] if certain else open_questions(at, placement)
        if run.aside or at.done:  # no latent is kept to compare with; the time has to do
            self._cross(questions, call, "step", own_index)
            return settle(at, placement, unchanged=True), False
        moved = run.look(call, placement.stream, placement.tentative)
        questions += [] if moved is None else [moved]
        needed = bool(run.reads or questions or run.batch.flags or self.door.ranks is not None)
        if certain:
            self._move(run, call, host, placement)  # while the device is busy measuring
        if needed:
            self._cross(questions + run.waiting(), call, "step", own_index)
        if not certain:
            placement = settle(at, placement, unchanged=moved is not None and not any(moved.values))
        if placement.kind == "follow":
            run.take_back()  # it was the same step once more
        elif placement.kind == "step" and run.batch.flags:
            run.settle_batch()
        if needed:
            run.lessons.learn()
        return placement, certain

    def _move(self, run: Run, call: Call, host: Host, placement: Placement) -> None:
        wrong = self.at.move(placement, call, host, relaxed=bool(run.aside))
        if wrong is not None:
            run.renumber(wrong, self.at.own_index - 1)
        if placement.kind != "follow":
            self.recorder.begin_step(self.at.index, self.at.total, placement.time or call.time)

    def _cross(self, readings: Iterable[Reading], call: Call, doing: Doing, own_index: int) -> None:
        """Bring readings to the host: by themselves, or as the mean over ranks."""
        if not self.door.cross(readings, doing, own_index, call.latent[0]) and self.run is not None:
            self.run.leave_ranks()
            self.drop()

    def _begin(self, call: Call, host: Host, placement: Placement) -> Run:
        """Start from nothing; within one generation (a batch changed its size) the record goes on."""
        if self.at.continues(host):
            self._fetch_all()
            self.recorder.note(f"aligned anew at step {host.index}: {placement.why}")
        else:
            self._close(finished=False)
            self.recorder.begin(placement.why)
        self.drop()
        self.run = Run(self.scheme, self.recorder, self.keep, count(call.latent), self.call.channel_dim)
        self.run.begin(call, host.total, self.policy.align_steps)
        return self.run

    def _watch(self, run: Run, call: Call, stream: str) -> None:
        """Measure the gate's own signal, and fetch all that waits: the sync of this decision."""
        run.deciders.of(stream).look(self.signal(call))
        self._cross(run.waiting(), call, "watch", self.at.own_index)
        run.lessons.learn()

    def signal(self, call: Call) -> Tensor:
        """What the gate watches at this call."""
        if isinstance(kind := self.scheme.signal, FilteredLatent):
            return filtered(call.raw[0], noise_level(self.at.host.sigma, call.time), kind.exponent)
        raise ValueError(f"signal {kind!r} exists inside the blocks only: give the policy a site of Blocks(...)")

    def abort(self) -> None:
        """Forget the run: something went wrong in it, perhaps the device itself."""
        self.run = None  # without waiting for measurements
        self.end_run("the run before was aborted", finished=False)

    def end_run(self, why: str = "pipeline reset", finished: bool = True) -> None:
        """Close the run and drop its tensors; the next call begins another."""
        try:
            self._close(finished)
        finally:
            self.drop()
            self.at.forget(why)

    def close_if_over(self) -> None:
        """Let the tensors go after the last call, since some pipelines never say that they are done."""
        if self.at.over and self.run is not None:
            self.run.release()
            self.drop()
            self.at.close()

    @property
    def trace(self) -> Trace:
        """What happened in the newest runs, up to now."""
        if self.door.ranks is None or self.at.done:  # one rank must not learn from what the others have not heard
            self._fetch_all()
        return Trace(self.recorder.runs)

    def _fetch_all(self) -> None:
        """Bring over what nobody needed so far, for the trace."""
        if self.run is not None:
            fetch([*self.run.waiting(), *self.recorder.waiting()])
            self.run.lessons.learn()

    def _close(self, finished: bool) -> None:
        try:
            self._fetch_all()
        finally:
            self.recorder.finish(finished)
            self.run = None
