"""What the cache does at every site: place the call, decide, learn, close."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from torch import Tensor

from navicache.engine.call import Call, Reader
from navicache.engine.decider import Decider
from navicache.engine.fetch import Reading, fetch
from navicache.engine.look import look
from navicache.engine.placement import Host, Placement
from navicache.engine.ranks import FindRanks, Ranks, alone
from navicache.engine.recorder import Recorder
from navicache.engine.run import Run, new_run
from navicache.engine.spectrum import filtered
from navicache.engine.stream import Keep
from navicache.engine.tracker import Tracker
from navicache.models import CallSpec
from navicache.policies import FilteredLatent, Policy, Scheme, Verdict, settings
from navicache.records import ShadowKind, Trace

Forward = Callable[..., Any]

FOLLOWS = {compute: Verdict(compute, "follows") for compute in (True, False)}
PLACES = {"run": 0, "step": 1, "follow": 2, "watch": 3}  # what a rank is about to do, told to the others


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
        self.tracker = Tracker()
        about = {"model": model, "policy": policy.name, "settings": settings(policy)}
        self.recorder = Recorder(self.scheme.gate, **about, shadow=shadow, belief=self.scheme.belief)
        self.run: Run | None = None
        self.ranks, self._find_ranks = alone(), find_ranks  # those that decide together with this one

    @abstractmethod
    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What stands in place of the model's forward."""

    @abstractmethod
    def attach(self) -> None:
        """Reach into the model, where that is needed."""

    @abstractmethod
    def detach(self) -> None:
        """Leave the model as it was."""

    def abort(self) -> None:
        """Forget the run: something went wrong in it, perhaps the device itself."""
        self.run = None  # without waiting for measurements
        self.end_run("the run before was aborted", finished=False)

    def end_run(self, why: str = "pipeline reset", finished: bool = True) -> None:
        """Close the run and drop its tensors; the next call begins another."""
        try:
            self._close(finished)
        finally:
            self.tracker.forget(why)

    def close_if_over(self) -> None:
        """Let the tensors go after the last call, since some pipelines never say that they are done."""
        if self.tracker.over and self.run is not None:
            self.run.release()
            self.tracker.close()

    @property
    def trace(self) -> Trace:
        """What happened in the newest runs, up to now."""
        if self.ranks is None or self.tracker.done:  # one rank must not learn from what the others have not heard
            self._fetch_all()
        return Trace(self.recorder.runs)

    # -- where are we -------------------------------------------------------------------------------------------------

    def enter(self, call: Call, host: Host) -> tuple[Run, str]:
        """Find run, step and stream, and decide where this call leads."""
        host = self.tracker.trusted(host)
        placement = self.tracker.place(call, host)
        if placement.kind == "step" and self.run is not None:
            placement = look(self.run, self.tracker, call, placement, self._door(call, "step"))
        elif placement.kind == "follow" and placement.moved:
            self._door(call, "follow")(placement.equal.values())
            placement = self.tracker.settle(placement, unchanged=True)
        elif placement.kind == "run":
            self.ranks = self._find_ranks()
            self._door(call, "run")(())
        if placement.kind == "run" or self.run is None:
            self.run = self._begin(call, host, placement)
        self.tracker.enter(placement, call, host)
        if placement.kind != "follow":
            self._begin_step(self.run, call, placement)
        self._decide(self.run, call, placement)
        return self.run, placement.stream

    def _door(self, call: Call, doing: str) -> Callable[[Iterable[Reading]], None]:
        """How readings cross: by themselves, or as the mean over ranks."""
        return fetch if self.ranks is None else partial(self._agree, self.ranks, call, doing)

    def _agree(self, ranks: Ranks, call: Call, doing: str, readings: Iterable[Reading]) -> None:
        place = 0 if doing == "run" else 4 * self.tracker.own_index + PLACES[doing]
        if not ranks.fetch(readings, place, call.latent[0].device) and self.run is not None:
            self.run.leave_ranks()

    def _begin_step(self, run: Run, call: Call, placement: Placement) -> None:
        at = self.tracker
        self.recorder.total = at.total
        if at.misnumbered is not None:
            run.renumber(at.misnumbered, at.own_index - 1)
            at.misnumbered = None
        if call.time is not None:
            self.recorder.keep_time(at.index, placement.time or call.time)
        at.relaxed = bool(run.aside)
        if run.aside:
            at.latent = ()

    def _begin(self, call: Call, host: Host, placement: Placement) -> Run:
        """Start from nothing; within one generation (a batch changed its size) the record goes on."""
        if self.tracker.continues(host):
            self._fetch_all()
            self.recorder.note(f"aligned anew at step {host.index}: {placement.why}")
        else:
            self._close(finished=False)
            self.recorder.begin(placement.why)
        run = new_run(self.scheme, self.recorder, self.keep, self.call.channel_dim, call)
        if host.total is None and self.scheme.last_step:
            self.recorder.note("the number of steps is unknown, so the last one is not forced: enable(..., steps=N)")
        if host.total is not None and host.total < max(self.policy.align_steps + 3, self.scheme.shortest):
            run.step_aside(host.total, self.policy.align_steps)
        if not run.aside:
            run.see(call, call.latent)
            run.watch_layout(call.latent)
        return run

    def _decide(self, run: Run, call: Call, placement: Placement) -> None:
        stream, index = placement.stream, self.tracker.index
        if run.aside:
            self.recorder.add(index, stream, 0, Verdict(True, run.aside))
        elif placement.kind == "follow" and run.lead:
            for sample, verdict in enumerate(run.verdicts):
                self.recorder.add(index, stream, sample, FOLLOWS[verdict.compute])
        else:
            decider = run.decider(stream)
            if decider.watch.reads:
                self._watch(run, decider, call)
            run.verdicts = decider.decide(self.tracker.moment, stream, run.elements // len(decider.layout))

    # -- a signal of its own ------------------------------------------------------------------------------------------

    def _watch(self, run: Run, decider: Decider, call: Call) -> None:
        """Measure the gate's own signal, and fetch all that waits: the sync of this decision."""
        decider.readings = decider.watch.look(self.signal(call))
        self._door(call, "watch")(run.waiting())
        run.learn()

    def signal(self, call: Call) -> Tensor:
        """What the gate watches at this call."""
        kind = self.scheme.signal
        if isinstance(kind, FilteredLatent):
            return filtered(call.raw[0], self._sigma(call), kind.exponent)
        raise ValueError(f"signal {kind!r} exists inside the blocks only: give the policy a site of Blocks(...)")

    def _sigma(self, call: Call) -> float | Tensor:
        """The noise level as it is told, or a thousandth of the time."""
        known = self.tracker.host.sigma
        if known is not None or call.time is None:
            return 0.5 if known is None else known
        time = call.time if isinstance(call.time, Tensor) else Tensor([call.time])
        return time.float().amax() / 1000

    # -- learn and close ----------------------------------------------------------------------------------------------

    def _fetch_all(self) -> None:
        """Bring over what nobody needed so far, for the trace."""
        if self.run is not None:
            fetch([*self.run.waiting(), *self.recorder.waiting()])
            self.run.learn()

    def _close(self, finished: bool) -> None:
        try:
            self._fetch_all()
        finally:
            self.recorder.finish(finished)
            self.run = None
