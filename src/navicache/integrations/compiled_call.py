"""Cache a model that is already compiled: the cache wraps the compiled call and stays outside its graph."""

from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.engine.tensors.compile_guards import COMPILED_MODEL_MESSAGE

EngineCall = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class CompiledCallWrapper:
    """Replaces the compiled call of `module.compile()` and passes it to the engine as the forward.

    It does nothing if the module is not compiled. The compiled call runs the module's forward, and so the cache's
    hook: while `is_running` is true the hook passes the call on.
    """

    def __init__(self, module: nn.Module, compute_or_predict: EngineCall, replaces_whole_calls: bool) -> None:
        """Replace the compiled call, which needs an engine that replaces whole calls."""
        self.is_running, self._module, self._compute_or_predict = False, module, compute_or_predict
        self._compiled_call: Callable[..., Any] | None = vars(module).get("_compiled_call_impl")
        if self._compiled_call is None:
            return
        if not replaces_whole_calls:
            raise ValueError(COMPILED_MODEL_MESSAGE)
        module._compiled_call_impl = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the compiled call through the engine."""
        self.is_running = True
        try:
            return self._compute_or_predict(self._compiled_call or self._module._call_impl, args, kwargs)
        finally:
            self.is_running = False

    def restore_compiled_call(self) -> None:
        """Restore the module's compiled call, unless it was compiled again."""
        if vars(self._module).get("_compiled_call_impl") is self:
            self._module._compiled_call_impl = self._compiled_call
