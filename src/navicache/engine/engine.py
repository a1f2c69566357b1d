"""The step of the cache: place the call, decide, compute or predict, remember."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from navicache.engine.call import Call, Reader
from navicache.engine.containers import select
from navicache.engine.decider import Moment
from navicache.engine.fetch import Reading, fetch
from navicache.engine.recorder import Recorder
from navicache.engine.rows import mean_abs, minus
from navicache.engine.run import LEAD, Run, new_run
from navicache.engine.stream import Keep
from navicache.engine.tracker import Host, Placement, Tracker, time_reading
from navicache.engine.work import Work
from navicache.models import CallSpec
from navicache.policies import Policy, settings
from navicache.records import Trace

Forward = Callable[..., Any]


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
    ) -> None:
        """Set up for the first run; no tensor is kept yet."""
        (self.scheme,) = policy.schemes()
        self.policy, self.reader, self.call = policy, reader, call or CallSpec()
        self.keep, self.surroundings = keep or Keep(), surroundings
        self.tracker = Tracker()
        self.recorder = Recorder(model, policy.name, settings(policy))
        self.run: Run | None = None

    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict what `forward` would return."""
        try:
            with torch.no_grad():
                call = self.reader.read(args, kwargs)
                run, stream = self._enter(call, self.surroundings())
            if run.aside:
                return forward(*args, **kwargs)
            return self._produce(run, call, stream, forward, args, kwargs)
        except BaseException:
            self.end_run("the run before was aborted", finished=False)
            raise

    def end_run(self, why: str = "pipeline reset", finished: bool = True) -> None:
        """Close the run and drop its tensors; the next call begins another."""
        self._close(finished)
        self.tracker.forget(why)

    @property
    def trace(self) -> Trace:
        """What happened in the newest runs, up to now."""
        self._fetch_all()
        return Trace(self.recorder.runs)

    # -- where are we -------------------------------------------------------------------------------------------------

    def _enter(self, call: Call, host: Host) -> tuple[Run, str]:
        """Find run, step and stream, and decide where this call leads."""
        placement = self.tracker.place(call, host)
        if placement.kind == "step" and self.run is not None:
            placement = self._look(self.run, call, placement)
        if placement.kind == "run" or self.run is None:
            self.run = self._begin(call, host, placement)
        self.tracker.enter(placement, call, host)
        if call.time is not None:
            self.recorder.keep_time(self.tracker.index, placement.time or time_reading(call.time))
        if placement.kind != "follow" and not self.run.aside:
            self.run.see(call)
        self._decide(self.run, placement)
        return self.run, placement.stream

    def _look(self, run: Run, call: Call, placement: Placement) -> Placement:
        """Measure this step's input and fetch all that waits: the one device sync of a step."""
        reads = self.scheme.gate.reads
        questions = self.tracker.open_questions(placement)
        if run.aside:
            fetch(questions)
            return self.tracker.settle(placement, unchanged=False)
        latent = run.inner(call.latent)
        change = minus(latent, run.last_seen) if placement.tentative or reads & {"since_seen", "by_channel"} else None
        for name, decider in run.deciders.items():
            decider.measure(change, latent, run.streams.get(placement.stream if name == LEAD else name))
        moved = [Reading(mean_abs(change))] if placement.tentative and change is not None else []
        run.watch_layout(latent)
        if reads or questions:
            fetch([*questions, *moved, *run.waiting()])
        placement = self.tracker.settle(placement, unchanged=bool(moved) and not any(moved[0].values))
        if placement.kind == "step":
            run.settle_layout()
        if reads or questions:
            self._learn(run)
        return placement

    def _begin(self, call: Call, host: Host, placement: Placement) -> Run:
        """Start from nothing; within one generation (a batch changed its size) the record goes on."""
        if self.tracker.continues(host):
            self._fetch_all()
            self.recorder.note(f"aligned anew at step {host.index}: {placement.why}")
        else:
            self._close(finished=False)
            self.recorder.begin(placement.why, host.total)
        run = new_run(self.scheme, self.recorder, self.keep, self.call.channel_dim, call)
        if host.total is None and self.policy.last_step:
            self.recorder.note("the number of steps is unknown, so the last one is not forced: enable(..., steps=N)")
        if host.total is not None and not host.index and host.total <= self.policy.align_steps + 2:
            run.aside = True
            self.recorder.note(
                f"{host.total} steps are too few to reuse any after {self.policy.align_steps} to align: stepped aside"
            )
        run.watch_layout(call.latent)
        return run

    # -- decide -------------------------------------------------------------------------------------------------------

    def _decide(self, run: Run, placement: Placement) -> None:
        stream, moment = placement.stream, self._moment()
        decider = run.decider(stream)
        if run.aside:
            self.recorder.add(moment.index, stream, 0, computed=True, reason="too few steps", sigma=moment.sigma)
        elif placement.kind == "follow" and self.scheme.gate.streams == "lead":
            for sample, verdict in enumerate(run.verdicts):
                self.recorder.add(moment.index, stream, sample, computed=verdict.compute, reason="follows")
        else:
            elements = sum(chunk.numel() for chunk in run.last_seen) // len(decider.layout)
            run.verdicts = decider.decide(moment, stream, elements)

    def _moment(self) -> Moment:
        at, host = self.tracker, self.tracker.host
        return Moment(at.index, at.own_index, host.total, at.known_time, host.sigma)

    def _computing(self, run: Run, name: str) -> list[int]:
        """Samples to compute: those decided for, and those with no reference from the last computed step."""
        stream, decider, samples = run.stream(name), run.decider(name), []
        for sample, verdict in enumerate(run.verdicts):
            missing = stream.computed_at[sample] is None or stream.computed_at[sample] != decider.computed_at[sample]
            if verdict.compute or missing:
                samples.append(sample)
            if missing and not verdict.compute:
                self.recorder.amend(self.tracker.index, name, sample, computed=True, reason="no reference")
        return samples

    # -- compute or predict -------------------------------------------------------------------------------------------

    def _produce(
        self, run: Run, call: Call, name: str, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        work = Work(run, call, name, self._moment(), self.call.output)
        samples = self._computing(run, name)
        rows = work.rows_of(samples)
        if not rows:
            with torch.no_grad():
                return work.predicted()
        if len(rows) == run.rows:
            result = forward(*args, **kwargs)
        else:
            kwargs = {key: select(value, run.rows, rows, call.listed) for key, value in kwargs.items()}
            result = forward(*(select(value, run.rows, rows, call.listed) for value in args), **kwargs)
        leads = self.scheme.gate.streams == "each" or name == self.tracker.called[0]
        with torch.no_grad():
            return work.computed(result, samples, leads)

    # -- learn and close ----------------------------------------------------------------------------------------------

    def _learn(self, run: Run) -> None:
        for decider in run.deciders.values():
            decider.learn()

    def _fetch_all(self) -> None:
        """Bring over what nobody needed so far, for the trace."""
        if self.run is not None:
            fetch([*self.run.waiting(), *self.recorder.waiting()])
            self._learn(self.run)

    def _close(self, finished: bool) -> None:
        self._fetch_all()
        self.recorder.finish(finished)
        self.run = None
