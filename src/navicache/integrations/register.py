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
from navicache.integrations.diffusers import detach_from, hook_of
from navicache.integrations.enable import enable


class Extended(ABC):
    """A method of `CacheMixin` that knows our config, and hands every other one to the method it replaced."""

    def __init__(self, original: Callable[..., None]) -> None:
        """Look like the original to whoever asks for its name, its text or its signature."""
        self.original = original
        self.models: WeakSet[Any] = WeakSet()  # those with a cache through this method
        functools.update_wrapper(self, original)

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        """Bind as a function does."""
        return self if model is None else MethodType(self, model)

    @abstractmethod
    def __call__(self, *given: Any, **named: Any) -> None:
        """What a call of the method does."""


class ExtendedEnable(Extended):
    """`enable_cache`."""

    def __call__(self, model: Any, config: Any) -> None:
        """Put our cache on; where another one is on already, diffusers says so itself."""
        if type(config) is not NaviCacheConfig or model.is_cache_enabled:
            return self.original(model, config)
        enable(model, **config.asked())
        model._cache_config = config
        self.models.add(model)
        return None


class ExtendedDisable(Extended):
    """`disable_cache`."""

    def __call__(self, model: Any) -> None:
        """Take our cache off, and with it the config that says it is on."""
        return detach_from(model) if type(model._cache_config) is NaviCacheConfig else self.original(model)


EXTENDED: dict[str, type[Extended]] = {"enable_cache": ExtendedEnable, "disable_cache": ExtendedDisable}


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
    for name, kind in EXTENDED.items():
        method = vars(CacheMixin)[name]
        if not isinstance(method, kind):
            setattr(CacheMixin, name, kind(method))


def unregister() -> None:
    """Give `CacheMixin` its own methods back, and take off the caches they put on; nothing happens without `register`.

    A cache that stayed on would be one that diffusers' own `disable_cache` does not know how to take off.
    """
    methods = {name: vars(CacheMixin)[name] for name in EXTENDED}
    _refuse_wrapped(methods)
    for name, method in methods.items():
        if isinstance(method, Extended):
            setattr(CacheMixin, name, method.original)
            for model in tuple(method.models):
                detach_from(model)


def cache_of(model: Any) -> Cache:
    """The handle of the cache on a model, as `navicache.enable` would have given it: `enable_cache` returns none."""
    hook = hook_of(model)
    if hook is None:
        raise ValueError(f"this {type(model).__name__} has no cache of navicache: put one on with enable_cache first")
    return Cache({"": hook})


def _refuse_wrapped(methods: dict[str, Any]) -> None:
    """Refuse to restore a method under one that somebody has put around ours since."""
    for name, method in methods.items():
        if isinstance(getattr(method, "__wrapped__", None), Extended):
            raise RuntimeError(
                f"CacheMixin.{name} was wrapped again after register(), by {method.__module__}: undo that first"
            )
