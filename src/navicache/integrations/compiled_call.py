"""A model that was compiled as a whole before the cache came: the cache goes above it, outside of its graph."""

from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.engine.tensors.graphs import INSIDE

EngineCall = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class CompiledCallWrapper:
    """Stands where `module.compile()` put the compiled call, and hands that call to the engine as its forward.

    Where the module is not compiled it stands nowhere. The compiled call runs through the module's forward, and so
    through the cache's own hook: `is_running` tells the hook to pass it on.
    """

    def __init__(self, module: nn.Module, compute_or_predict: EngineCall, replaces_whole_calls: bool) -> None:
        """`answer` is the engine's; `whole` says that it replaces whole calls."""
        self.is_running, self._module, self._compute_or_predict = False, module, compute_or_predict
        self._compiled_call: Callable[..., Any] | None = vars(module).get("_compiled_call_impl")
        if self._compiled_call is None:
            return
        if not replaces_whole_calls:
            raise ValueError(INSIDE)
        module._compiled_call_impl = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the module does when it is called."""
        self.is_running = True
        try:
            return self._compute_or_predict(self._compiled_call or self._module._call_impl, args, kwargs)
        finally:
            self.is_running = False

    def restore_compiled_call(self) -> None:
        """Give the module its compiled call back, unless it has been compiled again since."""
        if vars(self._module).get("_compiled_call_impl") is self:
            self._module._compiled_call_impl = self._compiled_call
