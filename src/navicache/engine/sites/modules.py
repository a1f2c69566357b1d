"""Site `modules`: the model runs, but outputs of some of its attention and MLP modules are reused."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.run.run import Run
from navicache.engine.sites.anatomy import Anatomy
from navicache.engine.sites.core import Core
from navicache.engine.sites.part import Part, find_modules
from navicache.engine.tensors.fetch import fetch, time_reading
from navicache.engine.tensors.graphs import refuse, refuse_in_graphs
from navicache.engine.tracking.call import Call
from navicache.policies import Modules


class ModuleEngine(Core):
    """Caches modules inside one model: to be called in place of its forward."""

    _refuse = staticmethod(refuse)

    def __init__(self, anatomy: Anatomy, *args: Any, **options: Any) -> None:
        """Nothing is attached yet; the options are those of every engine."""
        super().__init__(*args, **options)
        self.parts: list[Part] = []
        for scheme in self.policy.schemes():
            if scheme.gate.reads - {"time"} or not isinstance(scheme.site, Modules):
                raise ValueError("at the site of modules a policy decides by step and time alone, without other sites")
            modules = find_modules(anatomy, scheme.site)
            if modules:
                self.parts.append(Part(scheme, scheme.site.kind, modules, self.keep))
        if not self.parts:
            kinds = ", ".join(scheme.site.kind for scheme in self.policy.schemes() if isinstance(scheme.site, Modules))
            raise ValueError(f"{type(anatomy.model).__name__} has no module of these kinds in its blocks: {kinds}")
        self.name = ""  # of the stream at hand
        self._time: float | None = None
        self._unit = 1.0
        self._running = False
        self._own: list[tuple[nn.Module, Any]] = []

    def attach(self) -> None:
        """Shadow the forward of each module's instance."""
        self._refuse = refuse_in_graphs()
        for part in self.parts:
            for name, module in part.modules.items():
                own, self._own = vars(module).get("forward"), [*self._own, (module, vars(module).get("forward"))]
                forward = own or module.forward
                passed = functools.partial(self._pass, part, name, forward)
                module.forward = functools.update_wrapper(passed, forward)

    def detach(self) -> None:
        """Give every instance its own forward back."""
        while self._own:
            module, forward = self._own.pop()
            if forward is None:
                vars(module).pop("forward", None)
            else:
                module.forward = forward

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's forward, with its modules going through this engine."""
        if torch.compiler.is_compiling():
            self._refuse()
        try:
            with torch.no_grad():
                call = self.reader.read(args, kwargs)
                run, self.name = self.enter(call, self.surroundings())
                if not run.aside:
                    self._decide_all(run, call)
            self._running = not run.aside
            output = forward(*args, **kwargs)
        except BaseException:
            self.abort()
            raise
        finally:
            self._running = False
        self.close_if_over()
        return output

    def drop(self) -> None:
        """What is kept of modules belongs to the run."""
        for part in self.parts:
            part.drop()

    def _decide_all(self, run: Run, call: Call) -> None:
        """Every scheme's verdict on this step; the trace says which of them reuse."""
        moment, leads = self.at.moment, len(self.at.called) == 1
        if leads and call.time is not None and any(part.scheme.gate.reads for part in self.parts):
            self._read_time(call.time, moment.own_index == 0)
        moment = moment._replace(time=self._time)
        for part in self.parts:
            part.decide(moment, self.name, leads, run.seen.elements)
        reused = [part.kind for part in self.parts if not part.verdict.compute]
        line = {"computed": True, "reason": f"reuses {', '.join(reused)}" if reused else "schedule"}
        self.recorder.amend(moment.own_index, self.name, 0, line)

    def _read_time(self, time: Tensor | float, first: bool) -> None:
        """The timestep in thousandths, which windows are given in; some models are handed it in whole units."""
        reading = time_reading(time)
        fetch([reading])
        now = reading.values[0]
        if first:
            self._unit = 1000.0 if now <= 1 else 1.0
        self._time = now * self._unit

    def _pass(self, part: Part, module: str, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """One module: computed and kept, or predicted."""
        if torch.compiler.is_compiling():
            self._refuse()
        if not self._running:
            return forward(*args, **kwargs)
        with torch.no_grad():
            output = part.predicted(self.name, module)
        if output is not None:
            return output
        result = forward(*args, **kwargs)
        with torch.no_grad():
            part.keep_result(self.name, module, result, self.at.own_index)
        return result
