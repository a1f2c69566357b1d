"""Site `model`: the whole call is computed or predicted."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from navicache.engine.containers import select
from navicache.engine.core import Core, Forward
from navicache.engine.graphs import outside_graphs, plainly
from navicache.engine.leader import led_by
from navicache.engine.rows import Rows
from navicache.engine.shadow import predicted_samples, witness
from navicache.engine.work import Work


class Task(NamedTuple):
    """What one call comes down to."""

    runs: bool  # the model is called, with these arguments
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    work: Work | None = None  # what is to be learnt from its output; None for a run that is left alone
    latent: Rows = ()
    output: Any = None  # the prediction, where the model is not called


class Engine(Core):
    """Caches one model: to be called in place of its forward."""

    _apart = staticmethod(plainly)

    def attach(self) -> None:
        """A module may be compiled as a whole, now or later."""
        self._apart = outside_graphs()

    def detach(self) -> None:
        """The model's inside was not touched: there is nothing to put back."""

    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict what `forward` would return.

        Under torch.compile the graph breaks before and after `forward`, which is one graph by itself.
        """
        try:
            task: Task = self._apart(self._foresee, args, kwargs)
            output = forward(*task.args, **task.kwargs) if task.runs else task.output
            if task.work is not None:
                output = self._apart(self._learn, task, output)
            if self.shadow is not None and self._apart(self._predicted):
                truth = forward(*args, **kwargs)
                output = self._apart(self._judge, output, truth, args, kwargs)
        except BaseException:
            self._apart(self.abort)
            raise
        self._apart(self.close_if_over)
        return output

    def _foresee(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Task:
        if torch.is_grad_enabled():
            with torch.no_grad():
                return self._plan(args, kwargs)
        return self._plan(args, kwargs)  # entering no_grad costs more than asking whether it is needed

    def _plan(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Task:
        """The work there is to do, or without any the output."""
        call = self.reader.read(args, kwargs)
        run, name = self.enter(call, self.surroundings())
        if run.aside:
            return Task(True, args, kwargs)
        leads = name == self.tracker.called[0]
        if run.apart and leads:
            led_by(run, name)
        decider, stream = run.decider(name), run.stream(name)
        samples = run.computing(self.tracker.index, name, decider, stream)
        work = Work(run, call, name, decider, stream, samples)
        if samples:
            return self._task(work, args, kwargs)
        return Task(False, output=stream.packed(work.guess(run.inner(call.latent))))

    def _task(self, work: Work, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Task:
        """The model is to run, on the rows that need it."""
        rows, whole, listed = work.rows(), work.run.rows, work.call.listed
        latent = work.run.owned(work.call)  # before the model, which may write to its input
        if rows is not None:
            named = zip(self.reader.labels(args), args, strict=True)
            args = tuple(select(value, whole, rows, listed, name) for name, value in named)
            kwargs = {name: select(value, whole, rows, listed, name) for name, value in kwargs.items()}
        return Task(True, args, kwargs, work, latent)

    def _learn(self, task: Task, result: Any) -> Any:
        """Keep what was computed; returned as it is, or with predicted rows around it."""
        work = task.work
        if work is None:
            return result
        leads = not work.run.lead or work.name == self.tracker.called[0]
        with torch.no_grad():
            return work.computed(result, task.latent, self.tracker.moment, self.call.output, leads)

    def _predicted(self) -> bool:
        return self.run is not None and bool(predicted_samples(self.run, self.tracker))

    def _judge(self, output: Any, truth: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Shadow mode: the model ran also where its output was predicted; which the pipeline gets is the user's say."""
        if self.run is not None:
            with torch.no_grad():
                listed = self.reader.read(args, kwargs).listed
                witness(self.run, self.tracker, output, truth, self.call.output, listed)
        return output if self.shadow == "cached" else truth
