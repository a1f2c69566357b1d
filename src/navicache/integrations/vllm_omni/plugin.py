"""What vLLM-Omni loads by its entry point: adds one name to those its selector knows.

The selector is a closed chain of names, and the runner holds it by a name of its own: so both are bound to a function
that knows one more and asks the host's own for all others. docs/decisions has why, and what would be better.
"""

import functools
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

NAME = "navicache"
SELECTOR = "vllm_omni.diffusion.cache.selector"
RUNNER = "vllm_omni.diffusion.worker.diffusion_model_runner"
FUNCTION = "get_cache_backend"


def register() -> None:
    """Make `cache_backend="navicache"` known in this process; doing so twice is harmless."""
    selector = importlib.import_module(SELECTOR)
    known = getattr(selector, FUNCTION)
    if ours(known):
        return
    bind(selector, wider(known))
    if RUNNER in sys.modules:  # it has taken the function over by name; imported later, it takes over the new one
        bind(sys.modules[RUNNER], getattr(selector, FUNCTION))


def unregister() -> None:
    """Leave vLLM-Omni as it was found; doing so twice is harmless."""
    for module in (sys.modules[name] for name in (SELECTOR, RUNNER) if name in sys.modules):
        bound = vars(module)[FUNCTION]
        if ours(bound):
            bind(module, bound.__wrapped__)


def wider(known: Callable[..., Any]) -> Callable[..., Any]:
    """The host's selector with one more name."""

    @functools.wraps(known)
    def get_cache_backend(cache_backend: str | None, cache_config: Any) -> Any:
        return select(cache_config) if cache_backend == NAME else known(cache_backend, cache_config)

    return get_cache_backend


def ours(function: Any) -> bool:
    """Whether a selector is one of `wider`."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == __file__


def bind(module: ModuleType, function: Callable[..., Any]) -> None:
    """Put a selector into a module of the host."""
    vars(module)[FUNCTION] = function


def select(cache_config: Any) -> Any:
    """A backend for these settings; wrong ones are refused here, while the model is being loaded."""
    from vllm_omni.diffusion.cache.base import CacheBackend  # pyright: ignore[reportMissingImports]
    from vllm_omni.diffusion.data import DiffusionCacheConfig  # pyright: ignore[reportMissingImports]

    from navicache.integrations.vllm_omni.backend import Backend
    from navicache.integrations.vllm_omni.worker_ranks import worker_group

    class NaviCacheBackend(Backend, CacheBackend):
        """A backend of vLLM-Omni's own kind."""

    if cache_config is None or isinstance(cache_config, dict):
        cache_config = DiffusionCacheConfig.from_dict(cache_config or {})
    return NaviCacheBackend(cache_config, worker_group)
