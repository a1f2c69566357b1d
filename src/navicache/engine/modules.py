"""Site `modules`: the model runs, but outputs of some of its attention and MLP modules are reused."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.anatomy import Anatomy
from navicache.engine.call import Call
from navicache.engine.containers import Output
from navicache.engine.core import Core
from navicache.engine.fetch import fetch, time_reading
from navicache.engine.fit import Fit
from navicache.engine.graphs import refuse, refuse_in_graphs
from navicache.engine.lesson import newest
from navicache.engine.recorder import Recorder
from navicache.engine.run import Run, new_run
from navicache.engine.stream import NOTHING, Stream
from navicache.policies import Modules, Scheme, Verdict

# Names of a block's own children, in every transformer that is known.
CHILD_NAMES: Mapping[str, tuple[str, ...]] = {
    "self_attention": ("attn1", "attn", "self_attn"),
    "cross_attention": ("attn2", "cross_attn"),
    "mlp": ("ff", "ffn", "mlp", "ff_context"),
}
ONE_SAMPLE = ((0,),)


def find_modules(anatomy: Anatomy, site: Modules) -> dict[str, nn.Module]:
    """The modules of one kind, by name; blocks in lists called temporal have temporal attention."""
    found: dict[str, nn.Module] = {}
    for list_name, blocks in anatomy.lists.items():
        temporal = list_name.startswith("temporal")
        if site.kind == "temporal_attention" or (site.kind == "self_attention" and temporal):
            names = CHILD_NAMES["self_attention"] if temporal and site.kind == "temporal_attention" else ()
        else:
            names = CHILD_NAMES[site.kind]
        for place, block in enumerate(nn.ModuleList.__iter__(blocks)):
            if site.blocks is None or place in site.blocks:
                children = dict(block.named_children())
                found |= {f"{list_name}.{place}.{name}": children[name] for name in names if name in children}
    return found


@dataclass
class Part:
    """One scheme: its modules, and its decisions in the run at hand."""

    scheme: Scheme
    kind: str
    modules: dict[str, nn.Module]
    recorder: Recorder
    run: Run | None = None
    verdict: Verdict = Verdict(True, "schedule")
    kept: dict[tuple[str, str], list[Stream]] = field(default_factory=dict)  # by stream and module


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
                self.parts.append(Part(scheme, scheme.site.kind, modules, Recorder(scheme.gate)))
        if not self.parts:
            kinds = ", ".join(scheme.site.kind for scheme in self.policy.schemes() if isinstance(scheme.site, Modules))
            raise ValueError(f"{type(anatomy.model).__name__} has no module of these kinds in its blocks: {kinds}")
        self.name = ""
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
                before = self.run
                run, self.name = self.enter(call, self.surroundings())
                if not run.aside:
                    self._decide_all(run, call, fresh=run is not before)
            self._running = not run.aside
            output = forward(*args, **kwargs)
        except BaseException:
            self.abort()
            raise
        finally:
            self._running = False
        self.close_if_over()
        if self.tracker.done:
            self._drop()
        return output

    def end_run(self, why: str = "pipeline reset", finished: bool = True) -> None:
        """Close the run and drop its tensors."""
        super().end_run(why, finished)
        self._drop()

    def _drop(self) -> None:
        for part in self.parts:
            part.run, part.kept = None, {}

    def _decide_all(self, run: Run, call: Call, fresh: bool) -> None:
        """Every scheme's verdict on this step; the trace says which of them reuse."""
        moment, leads = self.tracker.moment, self.name == self.tracker.called[0]
        if leads and call.time is not None and any(part.scheme.gate.reads for part in self.parts):
            self._read_time(call.time, moment.own_index == 0)
        moment = moment._replace(time=self._time)
        for part in self.parts:
            if fresh or part.run is None:
                part.run, part.kept = new_run(part.scheme, part.recorder, self.keep, None, call), {}
            decider = part.run.decider(self.name)
            if leads or not part.run.lead:
                (part.verdict,) = decider.decide(moment, self.name, run.elements)
                if part.verdict.compute:
                    decider.computed_at = [newest(moment.index, decider.computed_at[0], part.scheme)]
        reused = [part.kind for part in self.parts if not part.verdict.compute]
        line = {"computed": True, "reason": f"reuses {', '.join(reused)}" if reused else "schedule"}
        self.recorder.amend(moment.index, self.name, 0, line)

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
        if not self._running or part.run is None:
            return forward(*args, **kwargs)
        decider, index = part.run.decider(self.name), self.tracker.index
        kept = part.kept.get((self.name, module), [])
        if not part.verdict.compute and kept and decider.serves(0, kept[0].computed_at[0]):
            weights = decider.weights(kept[0].computed_at)
            with torch.no_grad():
                outputs = [stream.predict(stream.history[0][1], weights, Fit())[0] for stream in kept]
            return outputs[0] if kept[0].rebuild is None else tuple(outputs)
        result = forward(*args, **kwargs)
        with torch.no_grad():
            self._keep(part, module, result, index)
        return result

    def _keep(self, part: Part, module: str, result: Any, index: int) -> None:
        tensors: tuple[Tensor, ...] = (result,) if isinstance(result, Tensor) else result
        order = part.scheme.predictor.order
        kept = part.kept.setdefault((self.name, module), [Stream(order, self.keep, computed_at=[()]) for _ in tensors])
        for stream, tensor in zip(kept, tensors, strict=True):
            stream.remember(NOTHING, Output((tensor,), tuple), None)
            stream.rebuild = None if isinstance(result, Tensor) else tuple
            stream.computed_at = [newest(index, stream.computed_at[0], part.scheme)]
