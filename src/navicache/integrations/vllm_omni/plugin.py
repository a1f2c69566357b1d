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

BACKEND_NAME = "navicache"
SELECTOR_MODULE = "vllm_omni.diffusion.cache.selector"
RUNNER_MODULE = "vllm_omni.diffusion.worker.diffusion_model_runner"
SELECTOR_FUNCTION = "get_cache_backend"


def register() -> None:
    """Make `cache_backend="navicache"` known in this process; doing so twice is harmless."""
    selector = importlib.import_module(SELECTOR_MODULE)
    known = getattr(selector, SELECTOR_FUNCTION)
    if is_extended_selector(known):
        return
    set_selector(selector, extend_selector(known))
    if (
        RUNNER_MODULE in sys.modules
    ):  # it has taken the function over by name; imported later, it takes over the new one
        set_selector(sys.modules[RUNNER_MODULE], getattr(selector, SELECTOR_FUNCTION))


def unregister() -> None:
    """Leave vLLM-Omni as it was found; doing so twice is harmless."""
    for module in (sys.modules[name] for name in (SELECTOR_MODULE, RUNNER_MODULE) if name in sys.modules):
        bound = vars(module)[SELECTOR_FUNCTION]
        if is_extended_selector(bound):
            set_selector(module, bound.__wrapped__)


def extend_selector(original_selector: Callable[..., Any]) -> Callable[..., Any]:
    """The host's selector with one more name."""

    @functools.wraps(original_selector)
    def get_cache_backend(cache_backend: str | None, cache_config: Any) -> Any:
        return (
            build_backend(cache_config)
            if cache_backend == BACKEND_NAME
            else original_selector(cache_backend, cache_config)
        )

    return get_cache_backend


def is_extended_selector(selector: Any) -> bool:
    """Whether a selector is one of `extend_selector`."""
    code = getattr(selector, "__code__", None)
    return code is not None and code.co_filename == __file__


def set_selector(module: ModuleType, selector: Callable[..., Any]) -> None:
    """Put a selector into a module of the host."""
    vars(module)[SELECTOR_FUNCTION] = selector


def build_backend(cache_config: Any) -> Any:
    """A backend for these settings; wrong ones are refused here, while the model is being loaded."""
    from vllm_omni.diffusion.cache.base import CacheBackend  # pyright: ignore[reportMissingImports]
    from vllm_omni.diffusion.data import DiffusionCacheConfig  # pyright: ignore[reportMissingImports]

    from navicache.integrations.vllm_omni.backend import PipelineCacheBackend
    from navicache.integrations.vllm_omni.worker_ranks import find_worker_process_group

    class NaviCacheBackend(PipelineCacheBackend, CacheBackend):
        """A backend of vLLM-Omni's own kind."""

    if cache_config is None or isinstance(cache_config, dict):
        cache_config = DiffusionCacheConfig.from_dict(cache_config or {})
    return NaviCacheBackend(cache_config, find_worker_process_group)
