"""A model that was compiled as a whole before the cache came: the cache goes above it, outside of its graph."""

from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.engine.tensors.graphs import INSIDE

Answer = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class Above:
    """Stands where `module.compile()` put the compiled call, and hands that call to the engine as its forward.

    Where the module is not compiled it stands nowhere. The compiled call runs through the module's forward, and so
    through the cache's own hook: `inside` tells the hook to pass it on.
    """

    def __init__(self, module: nn.Module, answer: Answer, whole: bool) -> None:
        """`answer` is the engine's; `whole` says that it replaces whole calls."""
        self.inside, self._module, self._answer = False, module, answer
        self._compiled: Callable[..., Any] | None = vars(module).get("_compiled_call_impl")
        if self._compiled is None:
            return
        if not whole:
            raise ValueError(INSIDE)
        module._compiled_call_impl = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the module does when it is called."""
        self.inside = True
        try:
            return self._answer(self._compiled or self._module._call_impl, args, kwargs)
        finally:
            self.inside = False

    def step_down(self) -> None:
        """Give the module its compiled call back, unless it has been compiled again since."""
        if vars(self._module).get("_compiled_call_impl") is self:
            self._module._compiled_call_impl = self._compiled
