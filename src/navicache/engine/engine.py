"""Site `model`: the whole call is computed or predicted."""

from collections.abc import Mapping
from typing import Any

import torch

from navicache.engine.containers import select
from navicache.engine.core import Core, Forward
from navicache.engine.run import Run
from navicache.engine.shadow import predicted_samples, witness
from navicache.engine.work import Work


class Engine(Core):
    """Caches one model: to be called in place of its forward."""

    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict what `forward` would return."""
        try:
            output = self._produce(forward, args, kwargs)
            if self.shadow is not None:
                output = self._shadowed(output, forward, args, kwargs)
        except BaseException:
            self.abort()
            raise
        self.close_if_over()
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
        run, name = self.enter(call, self.surroundings())
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
