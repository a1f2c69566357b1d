"""Put an engine in front of a forward and remove it again. Only instances are changed, never classes."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol, cast

from torch import nn

from navicache.engine import CacheEngine, CannotCache, ModelEngine
from navicache.integrations.compiled_call import CompiledCallWrapper

ALREADY_CACHED = "this model is cached already: call disable() on its handle, or navicache.disable(model), first"


class Attachment(Protocol):
    """An engine in front of a model."""

    engine: CacheEngine

    def detach(self) -> None:
        """Restore the model; a second call has no effect."""
        ...


class ModuleAttachment:
    """An engine in front of a plain module's forward."""

    def __init__(self, module: nn.Module, engine: CacheEngine) -> None:
        """Replace the forward of this instance, below accelerate's offload hook if there is one."""
        if find_attachment(module) is not None:
            raise ValueError(ALREADY_CACHED)
        self.engine, self._module, self._is_attached = engine, module, True
        self._had_own_forward = "forward" in vars(module)
        self._compiled_call = CompiledCallWrapper(module, self._compute_or_predict, isinstance(engine, ModelEngine))
        engine.attach()
        change_forward_below_offload(module, self._replace_forward)

    def _replace_forward(self) -> None:
        self._original_forward = self._module.forward
        cached_forward = functools.partial(self.run_cached_forward)
        self._module.forward = functools.update_wrapper(cached_forward, self._original_forward)

    def run_cached_forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module's forward through the engine; after `detach` without it, for whoever still holds this."""
        if not self._is_attached or self._compiled_call.is_running:
            return self._original_forward(*args, **kwargs)
        return self._compute_or_predict(self._original_forward, args, kwargs)

    def _compute_or_predict(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self.engine(forward, args, kwargs)
        except CannotCache:
            self.detach()
            raise

    def detach(self) -> None:
        """Restore the forward of the instance; one that was put over ours stays."""
        if self._is_attached:
            self._is_attached = False
            self._compiled_call.restore_compiled_call()
            if find_attachment(self._module) is self:
                change_forward_below_offload(self._module, self._restore_forward)
            self.engine.detach()
        self.engine.end_run("detached", is_complete=False)

    def _restore_forward(self) -> None:
        offloaded = "_old_forward" in vars(self._module)
        restore_forward(self._module, self._original_forward if self._had_own_forward or offloaded else None)


def find_attachment(module: nn.Module) -> ModuleAttachment | None:
    """Find the attachment of a plain module; None if it has none."""
    forward = vars(module).get("_old_forward", vars(module).get("forward"))
    owner = getattr(getattr(forward, "func", None), "__self__", None)
    return owner if isinstance(owner, ModuleAttachment) else None


def change_forward_below_offload(module: nn.Module, change: Callable[[], None]) -> None:
    """Apply a change to the forward that accelerate keeps aside while its offload hook is on.

    accelerate restores `_old_forward` after every generation, which would remove any hook above it. Below it the hook
    stays, in either order of offload and cache.
    """
    if "_old_forward" not in vars(module):
        change()
        return
    outer = module.forward
    module.forward = cast(Callable[..., Any], module._old_forward)
    change()
    vars(module)["_old_forward"] = module.forward
    module.forward = outer


class CallableAttachment:
    """An engine in front of any function; call the handle instead of the function."""

    def __init__(self, function: Callable[..., Any], engine: CacheEngine) -> None:
        """Change nothing: a function cannot be replaced from outside."""
        self.engine, self._function, self._is_attached = engine, function, True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, cached until `detach`."""
        if not self._is_attached:
            return self._function(*args, **kwargs)
        try:
            return self.engine(self._function, args, kwargs)
        except CannotCache:
            self.detach()
            raise

    def detach(self) -> None:
        """Pass all later calls to the function."""
        self._is_attached = False
        self.engine.end_run("detached", is_complete=False)


def restore_forward(module: nn.Module, forward: Callable[..., Any] | None) -> None:
    """Restore an instance's forward; None removes it, so that the class's forward is used."""
    if forward is None:
        del module.forward
    else:
        module.forward = forward


def get_forward_signature(target: Callable[..., Any]) -> inspect.Signature | None:
    """Get the signature of a forward, also under torch.compile's wrapper; None if Python cannot tell it."""
    module = getattr(target, "_orig_mod", target)
    try:
        return inspect.signature(module.forward if isinstance(module, nn.Module) else module)
    except (TypeError, ValueError):
        return None
