"""The step of the cache: place the call, decide, compute or predict, remember."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from navicache.engine.call import Call, Reader
from navicache.engine.containers import select
from navicache.engine.fetch import fetch
from navicache.engine.look import look
from navicache.engine.placement import Host, Placement
from navicache.engine.recorder import Recorder
from navicache.engine.run import Run, new_run
from navicache.engine.shadow import predicted_samples, witness
from navicache.engine.stream import Keep
from navicache.engine.tracker import Tracker
from navicache.engine.work import Work
from navicache.models import CallSpec
from navicache.policies import Policy, Verdict, settings
from navicache.records import ShadowKind, Trace

Forward = Callable[..., Any]

FOLLOWS = {compute: Verdict(compute, "follows") for compute in (True, False)}
ASIDE = Verdict(True, "too few steps")


class Engine:
    """Caches one model: to be called in place of its forward."""

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
    ) -> None:
        """Set up for the first run; no tensor is kept yet."""
        (self.scheme,) = policy.schemes()
        self.policy, self.reader, self.call = policy, reader, call or CallSpec()
        self.keep, self.surroundings, self.shadow = keep or Keep(), surroundings, shadow
        self.tracker = Tracker()
        about = {"model": model, "policy": policy.name, "settings": settings(policy)}
        self.recorder = Recorder(self.scheme.gate, **about, shadow=shadow, belief=self.scheme.belief)
        self.run: Run | None = None

    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict what `forward` would return."""
        try:
            output = self._produce(forward, args, kwargs)
            if self.shadow is not None:
                output = self._shadowed(output, forward, args, kwargs)
        except BaseException:
            self.run = None  # without waiting for measurements: the device itself may be what failed
            self.end_run("the run before was aborted", finished=False)
            raise
        if self.tracker.over and self.run is not None:
            # Some pipelines never say that they are done: let the tensors go, the trace can wait.
            self.run.release()
            self.tracker.close()
        return output

    def _produce(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if torch.is_grad_enabled():
            with torch.no_grad():
                run, work, output = self._foresee(args, kwargs)
        else:  # entering no_grad costs more than asking whether it is needed
            run, work, output = self._foresee(args, kwargs)
        if work is not None:
            return self._compute(work, forward, args, kwargs)
        return forward(*args, **kwargs) if run.aside else output

    def _foresee(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Run, Work | None, Any]:
        """The work there is to do, or without any the output."""
        call = self.reader.read(args, kwargs)
        run, name = self._enter(call, self.surroundings())
        if run.aside:
            return run, None, None
        decider, stream = run.decider(name), run.stream(name)
        samples = run.computing(self.tracker.index, name, decider, stream)
        if samples:
            return run, Work(run, call, name, decider, stream, samples), None
        latent, weights = run.inner(call.latent), decider.weights(stream.computed_at)
        return run, None, stream.packed(stream.predict(latent, weights, decider.layout, run.fit))

    def _shadowed(self, output: Any, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run the model also where its output was predicted; which of the two the pipeline gets is the user's say."""
        if self.run is None or not predicted_samples(self.run, self.tracker):
            return output
        truth = forward(*args, **kwargs)
        with torch.no_grad():
            witness(self.run, self.tracker, output, truth, self.call.output, self.reader.read(args, kwargs).listed)
        return output if self.shadow == "cached" else truth

    def end_run(self, why: str = "pipeline reset", finished: bool = True) -> None:
        """Close the run and drop its tensors; the next call begins another."""
        try:
            self._close(finished)
        finally:
            self.tracker.forget(why)

    @property
    def trace(self) -> Trace:
        """What happened in the newest runs, up to now."""
        self._fetch_all()
        return Trace(self.recorder.runs)

    # -- where are we -------------------------------------------------------------------------------------------------

    def _enter(self, call: Call, host: Host) -> tuple[Run, str]:
        """Find run, step and stream, and decide where this call leads."""
        host = self.tracker.trusted(host)
        placement = self.tracker.place(call, host)
        if placement.kind == "step" and self.run is not None:
            placement = look(self.run, self.tracker, call, placement)
        elif placement.kind == "follow" and placement.moved:
            fetch(placement.equal.values())
            placement = self.tracker.settle(placement, unchanged=True)
        if placement.kind == "run" or self.run is None:
            self.run = self._begin(call, host, placement)
        self.tracker.enter(placement, call, host)
        if placement.kind != "follow":
            self._begin_step(self.run, call, placement)
        self._decide(self.run, placement)
        return self.run, placement.stream

    def _begin_step(self, run: Run, call: Call, placement: Placement) -> None:
        at = self.tracker
        self.recorder.total = at.total
        if at.misnumbered is not None:
            run.renumber(at.misnumbered, at.own_index - 1)
            at.misnumbered = None
        if call.time is not None:
            self.recorder.keep_time(at.index, placement.time or call.time)
        at.relaxed = run.aside
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
        if host.total is not None and host.total <= self.policy.align_steps + 2:
            run.step_aside(host.total, self.policy.align_steps)
        if not run.aside:
            run.see(call, call.latent)
            run.watch_layout(call.latent)
        return run

    def _decide(self, run: Run, placement: Placement) -> None:
        stream, index = placement.stream, self.tracker.index
        if run.aside:
            self.recorder.add(index, stream, 0, ASIDE)
        elif placement.kind == "follow" and run.lead:
            for sample, verdict in enumerate(run.verdicts):
                self.recorder.add(index, stream, sample, FOLLOWS[verdict.compute])
        else:
            decider = run.decider(stream)
            run.verdicts = decider.decide(self.tracker.moment, stream, run.elements // len(decider.layout))

    def _compute(self, work: Work, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run the model on the rows that need it."""
        rows, whole, listed = work.rows(), work.run.rows, work.call.listed
        latent = work.run.owned(work.call)  # before the model, which may write to its input
        if rows is not None:
            named = zip(self.reader.labels(args), args, strict=True)
            args = tuple(select(value, whole, rows, listed, name) for name, value in named)
            kwargs = {name: select(value, whole, rows, listed, name) for name, value in kwargs.items()}
        result = forward(*args, **kwargs)
        leads = not work.run.lead or work.name == self.tracker.called[0]
        with torch.no_grad():
            return work.computed(result, latent, self.tracker.moment, self.call.output, leads)

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
