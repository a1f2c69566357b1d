"""Site `modules`: the model runs, but outputs of some of its attention and MLP modules are reused."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.run.run_state import RunState
from navicache.engine.sites.cache_engine import CacheEngine
from navicache.engine.sites.key_storage import stores_keys_only
from navicache.engine.sites.model_structure import ModelStructure
from navicache.engine.sites.module_group import ModuleGroup, find_modules
from navicache.engine.tensors.compile_guards import create_compile_refusal, raise_compiled_model
from navicache.engine.tensors.device_readings import create_time_reading, fetch_readings
from navicache.engine.tracking.model_call import ModelCall
from navicache.policies import Modules


class ModuleEngine(CacheEngine):
    """Caches modules inside one model: to be called in place of its forward."""

    _refuse_compile = staticmethod(raise_compiled_model)

    def __init__(self, structure: ModelStructure, *args: Any, **options: Any) -> None:
        """Nothing is attached yet; the options are those of every engine."""
        super().__init__(*args, **options)
        self.module_groups: list[ModuleGroup] = []
        for scheme in self.policy.schemes():
            if scheme.gate.reads - {"time"} or not isinstance(scheme.site, Modules):
                raise ValueError("at the site of modules a policy decides by step and time alone, without other sites")
            modules = find_modules(structure, scheme.site)
            if modules:
                self.module_groups.append(ModuleGroup(scheme, scheme.site.kind, modules, self.keep))
        if not self.module_groups:
            kinds = ", ".join(scheme.site.kind for scheme in self.policy.schemes() if isinstance(scheme.site, Modules))
            raise ValueError(f"{type(structure.model).__name__} has no module of these kinds in its blocks: {kinds}")
        self.stream = ""  # of the stream at hand
        self._time: float | None = None
        self._time_scale = 1.0
        self._is_caching = False
        self._original_forwards: list[tuple[nn.Module, Any]] = []

    def attach(self) -> None:
        """Shadow the forward of each module's instance."""
        self._refuse_compile = create_compile_refusal()
        for part in self.module_groups:
            for name, module in part.modules.items():
                own = vars(module).get("forward")
                self._original_forwards.append((module, own))
                forward = own or module.forward
                passed = functools.partial(self._run_module, part, name, forward)
                module.forward = functools.update_wrapper(passed, forward)

    def detach(self) -> None:
        """Give every instance its own forward back."""
        while self._original_forwards:
            module, forward = self._original_forwards.pop()
            if forward is None:
                vars(module).pop("forward", None)
            else:
                module.forward = forward

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's forward, with its modules going through this engine."""
        if torch.compiler.is_compiling():
            self._refuse_compile()
        if stores_keys_only(kwargs):
            return forward(*args, **kwargs)
        self.call_guard.enter()
        try:
            with torch.no_grad():
                call = self.reader.read_call(args, kwargs)
                run, self.stream = self.place_and_decide(call, self.describe_call())
                if not run.bypass_reason:
                    self._decide_groups(run, call)
            self._is_caching = not run.bypass_reason
            output = forward(*args, **kwargs)
            self.close_complete_run()
            self.call_guard.raise_if_disturbed()
        except BaseException:
            self.abort_run()
            raise
        finally:
            self._is_caching = False
            self.call_guard.leave()
        return output

    def release_site_tensors(self) -> None:
        """What is kept of modules belongs to the run."""
        for part in self.module_groups:
            part.reset_run()

    def _decide_groups(self, run: RunState, call: ModelCall) -> None:
        """Decide this step for every group of modules; the trace names the groups that reuse."""
        position, is_leading = self.tracker.position, len(self.tracker.called_streams) == 1
        if is_leading and call.time is not None and any(group.scheme.gate.reads for group in self.module_groups):
            self._fetch_time(call.time, position.local_index == 0)
        position = position._replace(time=self._time)
        for group in self.module_groups:
            group.decide_step(position, self.stream, is_leading, run.latent_state.element_count)
        reused = [group.module_kind for group in self.module_groups if not group.decision.compute]
        line = {"computed": True, "reason": f"reuses {', '.join(reused)}" if reused else "schedule"}
        self.recorder.amend_fields(position.local_index, self.stream, 0, line)

    def _fetch_time(self, time: Tensor | float, is_first_step: bool) -> None:
        """The timestep in thousandths, which windows are given in; some models are handed it in whole units."""
        reading = create_time_reading(time)
        fetch_readings([reading])
        now = reading.values[0]
        if is_first_step:
            self._time_scale = 1000.0 if now <= 1 else 1.0
        self._time = now * self._time_scale

    def _run_module(
        self, group: ModuleGroup, module: str, forward: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """One module: computed and kept, or predicted."""
        if torch.compiler.is_compiling():
            self._refuse_compile()
        if not self._is_caching:
            return forward(*args, **kwargs)
        with torch.no_grad():
            output = group.predict_output(self.stream, module)
        if output is not None:
            return output
        result = forward(*args, **kwargs)
        with torch.no_grad():
            group.store_result(self.stream, module, result, self.tracker.local_index)
        return result
