"""What the cache does at every site: place the call, learn, decide, close."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from navicache.engine.decide.recorder import Recorder
from navicache.engine.predict.stream import Keep
from navicache.engine.ranks import Door, FindRanks, alone
from navicache.engine.run.run import Run
from navicache.engine.sites.survey import NOTHING_ASKED, Survey
from navicache.engine.tensors.fetch import fetch
from navicache.engine.tensors.rows import count
from navicache.engine.tensors.spectrum import filtered, noise_level
from navicache.engine.tracking.call import Call, Reader
from navicache.engine.tracking.place import open_questions, place, settle
from navicache.engine.tracking.placement import Host, Placement
from navicache.engine.tracking.tracker import Tracker
from navicache.models import CallSpec
from navicache.policies import FilteredLatent, Policy, Scheme, settings
from navicache.records import ShadowKind, Trace

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
        shadow: ShadowKind | None = None,
        find_ranks: FindRanks = alone,
    ) -> None:
        """Set up for the first run; no tensor is kept yet."""
        self.scheme: Scheme = policy.schemes()[0]
        self.policy, self.reader, self.call = policy, reader, call or CallSpec()
        self.keep, self.surroundings, self.shadow = keep or Keep(), surroundings, shadow
        about = {"model": model, "policy": policy.name, "settings": settings(policy)}
        explainer = self.scheme.monitor or self.scheme.gate
        self.recorder = Recorder(explainer, **about, shadow=shadow, belief=self.scheme.belief)
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
        """Find run, step and stream, learn what has come to the host, and decide: one transfer, one move."""
        at, door, told = self.at, self.door, host
        host = at.trusted(host)
        placement = place(at, call, host)
        survey = self._measure(call, host, placement)
        if survey.crosses and not door.cross(survey.readings, placement.kind, at.own_index, call.latent[0]):
            self._leave_ranks()
        if not survey.certain:
            placement = settle(at, placement, survey.unchanged)
        run = self.run
        if run is None or placement.kind == "run":
            host = told  # a new run believes its scheduler until that stands still
            run = self._begin(call, host, placement)
        elif survey.learns:
            run.learn(placement.kind, survey.looked)
        self._move(run, call, host, placement)
        if run.watches and self.leads and not run.aside:
            signal = self.signal(call, at.host.sigma) if survey.signal is None else survey.signal
            run.deciders.of(placement.stream).watch.take(signal)
        run.decide(at, placement.stream)
        return run, placement.stream

    def _measure(self, call: Call, host: Host, placement: Placement) -> Survey:
        """Queue on the device all that this call has to know: where it stands, and what its gate reads."""
        run, at, certain, kind = self.run, self.at, placement.certain, placement.kind
        if run is None or kind == "run":
            return Survey(certain=True, crosses=self.door.meet())
        if certain and kind == "follow" and not run.watches:
            return NOTHING_ASKED
        questions = [] if certain else open_questions(at, placement)
        moved, signal, together = None, None, self.door.ranks is not None
        looked = kind == "step" and not (run.aside or at.done)  # else no latent is kept to compare with, only the time
        if looked:
            moved = run.look(call, placement.stream, placement.tentative)
            questions += () if moved is None else (moved,)
        if run.watches and not run.aside and (kind == "step" or not run.lead):
            signal = self.signal(call, host.sigma if kind == "step" else at.host.sigma)
            run.deciders.measure_signal(signal, placement.stream if certain else None)
        learns = (looked or signal is not None) and (run.by_data or bool(questions) or together or run.needs_transfer)
        crosses = learns or bool(questions) or (together and kind == "step")
        readings = questions + run.waiting() if learns else questions
        return Survey(certain, readings, crosses, learns, looked, moved, signal)

    def _move(self, run: Run, call: Call, host: Host, placement: Placement) -> None:
        if self.at.move(placement, call, host, relaxed=bool(run.aside)):
            self.recorder.correct_first_number()
        if placement.kind != "follow":
            self.recorder.begin_step(self.at.index, self.at.total, placement.time or call.time)

    def _leave_ranks(self) -> None:
        """The ranks turned out to be apart: they compute from here on, in this run."""
        if self.run is not None:
            self.run.leave_ranks()
            self.drop()

    def _begin(self, call: Call, host: Host, placement: Placement) -> Run:
        """Start from nothing; within one generation (a batch changed its size) the record goes on."""
        if self.at.continues(host):
            self._fetch_all()
            self.recorder.note(f"aligned anew at step {host.index}: {placement.why}")
            self.recorder.count_from_here()
        else:
            self._close(finished=False)
            self.recorder.begin(placement.why)
        self.drop()
        self.run = Run(self.scheme, self.recorder, self.keep, count(call.latent), self.call.channel_dim)
        self.run.begin(call, host.total, self.policy.align_steps)
        return self.run

    def signal(self, call: Call, sigma: float | None) -> Tensor:
        """What the gate watches at this call, at this noise level."""
        if isinstance(kind := self.scheme.signal, FilteredLatent):
            return filtered(call.raw[0], noise_level(sigma, call.time), kind.exponent)
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
