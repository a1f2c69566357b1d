"""vLLM-Omni's entry point: adds one name to its selector of cache backends.

The selector is a function with a fixed list of names, and the runner has imported it. So both are replaced by a
function that knows one more name and passes the others on. docs/decisions says why, and what would be better.
"""

import functools
import importlib
import logging
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

logger = logging.getLogger("vllm_omni.navicache")
BACKEND_NAME = "navicache"
SELECTOR_MODULE = "vllm_omni.diffusion.cache.selector"
RUNNER_MODULE = "vllm_omni.diffusion.worker.diffusion_model_runner"
SELECTOR_FUNCTION = "get_cache_backend"


def register() -> None:
    """Make `cache_backend="navicache"` known in this process; a second call has no effect.

    Another vLLM-Omni may have no such selector. Then this warns: an exception here would end the server, also one that
    asks for no cache.
    """
    try:
        selector = importlib.import_module(SELECTOR_MODULE)
        known = getattr(selector, SELECTOR_FUNCTION)
    except (ImportError, AttributeError) as error:
        logger.warning(
            'cache_backend="%s" is not available: this vLLM-Omni has no %s.%s (%s). The versions that were tested are '
            "in docs/how-to/serve.md",
            *(BACKEND_NAME, SELECTOR_MODULE, SELECTOR_FUNCTION, error),
        )
        return
    if is_extended_selector(known):
        return
    set_selector(selector, extend_selector(known))
    if RUNNER_MODULE in sys.modules:  # it has imported the old function; if imported later, it gets the new one
        set_selector(sys.modules[RUNNER_MODULE], getattr(selector, SELECTOR_FUNCTION))


def unregister() -> None:
    """Restore vLLM-Omni's selector; a second call has no effect."""
    for module in (sys.modules[name] for name in (SELECTOR_MODULE, RUNNER_MODULE) if name in sys.modules):
        bound = vars(module)[SELECTOR_FUNCTION]
        if is_extended_selector(bound):
            set_selector(module, bound.__wrapped__)


def extend_selector(original_selector: Callable[..., Any]) -> Callable[..., Any]:
    """Extend vLLM-Omni's selector by one name."""

    @functools.wraps(original_selector)
    def get_cache_backend(cache_backend: str | None, cache_config: Any) -> Any:
        if cache_backend == BACKEND_NAME:
            return build_backend(cache_config)
        return original_selector(cache_backend, cache_config)

    return get_cache_backend


def is_extended_selector(selector: Any) -> bool:
    """Whether `extend_selector` made this selector."""
    code = getattr(selector, "__code__", None)
    return code is not None and code.co_filename == __file__


def set_selector(module: ModuleType, selector: Callable[..., Any]) -> None:
    """Set the selector in a module of vLLM-Omni."""
    vars(module)[SELECTOR_FUNCTION] = selector


def build_backend(cache_config: Any) -> Any:
    """Build a backend; wrong settings raise a ValueError while the model loads."""
    from vllm_omni.diffusion.cache.base import CacheBackend  # pyright: ignore[reportMissingImports]
    from vllm_omni.diffusion.data import DiffusionCacheConfig  # pyright: ignore[reportMissingImports]

    from navicache_serving.vllm_omni.backend import PipelineCacheBackend
    from navicache_serving.vllm_omni.worker_ranks import find_worker_process_group

    class NaviCacheBackend(PipelineCacheBackend, CacheBackend):
        """This backend as a subclass of vLLM-Omni's."""

    if cache_config is None or isinstance(cache_config, dict):
        cache_config = DiffusionCacheConfig.from_dict(cache_config or {})
    return NaviCacheBackend(cache_config, find_worker_process_group)
