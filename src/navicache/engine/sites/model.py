"""Site `model`: the whole call is computed or predicted."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from navicache.engine.run.run import Run
from navicache.engine.run.shadow import predicted_samples, witness
from navicache.engine.run.teaching import Work
from navicache.engine.sites.core import Core, Forward
from navicache.engine.tensors.containers import select, unpack
from navicache.engine.tensors.graphs import outside_graphs, plainly


class Task(NamedTuple):
    """What one call comes down to."""

    runs: bool  # the model is called, with these arguments
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    run: Run | None = None  # what is to learn from its output; None where the run is left alone
    work: Work | None = None
    output: Any = None  # the prediction, where the model is not called


class Engine(Core):
    """Caches one model: to be called in place of its forward."""

    _outside = staticmethod(plainly)

    def attach(self) -> None:
        """A module may be compiled as a whole, now or later."""
        self._outside = outside_graphs()

    def detach(self) -> None:
        """The model's inside was not touched: there is nothing to put back."""

    def drop(self) -> None:
        """All that is kept is the run's own."""

    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict what `forward` would return.

        Under torch.compile the graph breaks before and after `forward`, which is one graph by itself.
        """
        try:
            task: Task = self._outside(self._decide, args, kwargs)
            output = forward(*task.args, **task.kwargs) if task.runs else task.output
            if task.work is not None:
                output = self._outside(self._learn, task, output)
            if self.shadow is not None and self._outside(self._predicted):
                truth = forward(*args, **kwargs)
                output = self._outside(self._judge, output, truth, args, kwargs)
        except BaseException:
            self._outside(self.abort)
            raise
        self._outside(self.close_if_over)
        return output

    def _decide(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Task:
        if torch.is_grad_enabled():
            with torch.no_grad():
                return self._task(args, kwargs)
        return self._task(args, kwargs)  # entering no_grad costs more than asking whether it is needed

    def _task(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Task:
        """One step, in order: read the call, find its place and decide, then compute what is to be computed."""
        call = self.reader.read(args, kwargs)
        run, name = self.enter(call, self.surroundings())
        if run.aside:
            return Task(True, args, kwargs)
        if len(self.at.called) == 1:
            run.streams.lead(name)
        work = run.work(self.at.own_index, name, call)
        if work is None:
            return Task(False, output=run.predicted(name, call))
        return self._some_rows(Task(True, args, kwargs, run, work), run.rows)

    def _some_rows(self, task: Task, whole: int) -> Task:
        """The same with arguments for no more rows than are to be computed."""
        work, args = task.work, task.args
        if work is None or work.rows is None:
            return task
        rows, listed = work.rows, work.call.listed
        named = zip(self.reader.labels(args), args, strict=True)
        args = tuple(select(value, whole, rows, listed, name) for name, value in named)
        kwargs = {name: select(value, whole, rows, listed, name) for name, value in task.kwargs.items()}
        return task._replace(args=args, kwargs=kwargs)

    def _learn(self, task: Task, result: Any) -> Any:
        """Keep what was computed; returned as it is, or with predicted rows around it."""
        if task.run is None or task.work is None:
            return result
        with torch.no_grad():
            return task.run.computed(task.work, result, self.at.moment, self.call.output, self.leads)

    def _predicted(self) -> bool:
        return self.run is not None and bool(predicted_samples(self.run, self.at))

    def _judge(self, output: Any, truth: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Shadow mode: the model ran also where its output was predicted; which the pipeline gets is the user's say."""
        if self.run is not None:
            with torch.no_grad():
                listed = self.reader.read(args, kwargs).listed
                made, exact = (unpack(each, self.call.output, listed).rows for each in (output, truth))
                witness(self.run, self.at, made, exact)
        return output if self.shadow == "cached" else truth
