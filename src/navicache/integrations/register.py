"""`register`: let diffusers' `transformer.enable_cache` accept a `NaviCacheConfig` (opt-in).

This is the only place that changes a class of another library; docs/decisions/2026-11-18-register.md says why, and why
it is opt-in. Two methods of `CacheMixin` are replaced by ones that accept one more config class.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import MethodType
from typing import Any
from weakref import WeakSet

from diffusers.models.cache_utils import CacheMixin

from navicache.integrations.cache import Cache
from navicache.integrations.config import NaviCacheConfig
from navicache.integrations.diffusers import detach_cache, find_cache_hook
from navicache.integrations.enable import enable


class ExtendedMethod(ABC):
    """A method of `CacheMixin` that handles `NaviCacheConfig` and passes every other config to the original."""

    def __init__(self, original: Callable[..., None]) -> None:
        """Copy name, docstring and signature of the original."""
        self.original = original
        self.cached_models: WeakSet[Any] = WeakSet()  # models cached through this method
        functools.update_wrapper(self, original)

    def __get__(self, model: Any, model_class: type | None = None) -> Any:
        """Bind like a function."""
        return self if model is None else MethodType(self, model)

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Call the method."""


class ExtendedEnableCache(ExtendedMethod):
    """`enable_cache`."""

    def __call__(self, model: Any, config: Any) -> None:
        """Enable the cache; if another one is on, diffusers raises its error."""
        if type(config) is not NaviCacheConfig or model.is_cache_enabled:
            return self.original(model, config)
        enable(model, **config.to_enable_arguments())
        model._cache_config = config
        self.cached_models.add(model)
        return None


class ExtendedDisableCache(ExtendedMethod):
    """`disable_cache`."""

    def __call__(self, model: Any) -> None:
        """Remove the cache and its config."""
        return detach_cache(model) if type(model._cache_config) is NaviCacheConfig else self.original(model)


EXTENDED_METHODS: dict[str, type[ExtendedMethod]] = {
    "enable_cache": ExtendedEnableCache,
    "disable_cache": ExtendedDisableCache,
}


def register() -> None:
    """Let `enable_cache` and `disable_cache` of diffusers' models accept a `NaviCacheConfig`.

    Works for the whole process and for every model with diffusers' `CacheMixin`; use `navicache.enable` for others. A
    second call has no effect.

    Example:
        >>> register()
        >>> from diffusers import WanTransformer3DModel
        >>> model = WanTransformer3DModel(num_attention_heads=1, num_layers=1, text_dim=8, freq_dim=8, ffn_dim=8)
        >>> model.enable_cache(NaviCacheConfig(speedup=2.0, steps=20))
        >>> model.is_cache_enabled
        True
        >>> unregister()
        >>> model.is_cache_enabled
        False
    """
    for name, kind in EXTENDED_METHODS.items():
        method = vars(CacheMixin)[name]
        if not isinstance(method, kind):
            setattr(CacheMixin, name, kind(method))


def unregister() -> None:
    """Restore the methods of `CacheMixin` and remove the caches they enabled; no effect without `register`.

    A cache that stayed could not be removed by diffusers' `disable_cache`.
    """
    methods = {name: vars(CacheMixin)[name] for name in EXTENDED_METHODS}
    _refuse_rewrapped_methods(methods)
    for name, method in methods.items():
        if isinstance(method, ExtendedMethod):
            setattr(CacheMixin, name, method.original)
            for model in tuple(method.cached_models):
                detach_cache(model)


def cache_of(model: Any) -> Cache:
    """Return the handle of a model's cache, because `enable_cache` returns none."""
    hook = find_cache_hook(model)
    if hook is None:
        raise ValueError(f"this {type(model).__name__} has no cache of navicache: call enable_cache first")
    return Cache({"": hook})


def _refuse_rewrapped_methods(methods: dict[str, Any]) -> None:
    """Raise RuntimeError if a method was wrapped again after `register`."""
    for name, method in methods.items():
        if isinstance(getattr(method, "__wrapped__", None), ExtendedMethod):
            raise RuntimeError(
                f"CacheMixin.{name} was wrapped again after register(), by {method.__module__}: undo that first"
            )
