"""`register`: diffusers' own `transformer.enable_cache` takes a `NaviCacheConfig`, for those who ask for it.

The one place that touches a class of a host; why, and why it is opt-in: docs/decisions/2026-11-18-register.md. Two
methods of `CacheMixin` are exchanged for ones that know one config class more, and keep what they replaced.
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
    """A method of `CacheMixin` that knows our config, and hands every other one to the method it replaced."""

    def __init__(self, original: Callable[..., None]) -> None:
        """Look like the original to whoever asks for its name, its text or its signature."""
        self.original = original
        self.cached_models: WeakSet[Any] = WeakSet()  # those with a cache through this method
        functools.update_wrapper(self, original)

    def __get__(self, model: Any, model_class: type | None = None) -> Any:
        """Bind as a function does."""
        return self if model is None else MethodType(self, model)

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """What a call of the method does."""


class ExtendedEnableCache(ExtendedMethod):
    """`enable_cache`."""

    def __call__(self, model: Any, config: Any) -> None:
        """Put our cache on; where another one is on already, diffusers says so itself."""
        if type(config) is not NaviCacheConfig or model.is_cache_enabled:
            return self.original(model, config)
        enable(model, **config.to_enable_arguments())
        model._cache_config = config
        self.cached_models.add(model)
        return None


class ExtendedDisableCache(ExtendedMethod):
    """`disable_cache`."""

    def __call__(self, model: Any) -> None:
        """Take our cache off, and with it the config that says it is on."""
        return detach_cache(model) if type(model._cache_config) is NaviCacheConfig else self.original(model)


EXTENDED_METHODS: dict[str, type[ExtendedMethod]] = {
    "enable_cache": ExtendedEnableCache,
    "disable_cache": ExtendedDisableCache,
}


def register() -> None:
    """Let `enable_cache` and `disable_cache` of diffusers' models take a `NaviCacheConfig`; doing so twice is harmless.

    It holds for the process, for every model with diffusers' `CacheMixin`. The others keep `navicache.enable`.

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
    """Give `CacheMixin` its own methods back, and take off the caches they put on; nothing happens without `register`.

    A cache that stayed on would be one that diffusers' own `disable_cache` does not know how to take off.
    """
    methods = {name: vars(CacheMixin)[name] for name in EXTENDED_METHODS}
    _refuse_rewrapped_methods(methods)
    for name, method in methods.items():
        if isinstance(method, ExtendedMethod):
            setattr(CacheMixin, name, method.original)
            for model in tuple(method.cached_models):
                detach_cache(model)


def cache_of(model: Any) -> Cache:
    """The handle of the cache on a model, as `navicache.enable` would have given it: `enable_cache` returns none."""
    hook = find_cache_hook(model)
    if hook is None:
        raise ValueError(f"this {type(model).__name__} has no cache of navicache: put one on with enable_cache first")
    return Cache({"": hook})


def _refuse_rewrapped_methods(methods: dict[str, Any]) -> None:
    """Refuse to restore a method under one that somebody has put around ours since."""
    for name, method in methods.items():
        if isinstance(getattr(method, "__wrapped__", None), ExtendedMethod):
            raise RuntimeError(
                f"CacheMixin.{name} was wrapped again after register(), by {method.__module__}: undo that first"
            )
