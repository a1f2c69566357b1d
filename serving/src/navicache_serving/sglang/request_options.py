"""Read the cache options of a request, or else of the server."""

from typing import Any

from navicache.integrations.policy_choice import CacheOptions
from navicache_serving.server_settings import read_settings

EXTRA_FIELD = "diffusers_kwargs"  # the field of a request, and of its JSON, for values that SGLang does not know
SETTINGS_KEY = "navicache"
OTHER_CACHE_FLAGS = ("enable_teacache", "enable_spectrum", "enable_cache_dit")  # of a request


def read_request_options(batch: Any, server_settings: Any) -> CacheOptions | None:
    """Read the options of a request; None if it must not be cached.

    The request's settings override the server's: a request for another cache gets that cache. A warm-up request is not
    cached, because it has to run the model.
    """
    settings = (batch.extra.get(EXTRA_FIELD) or {}).get(SETTINGS_KEY)
    options = read_settings(server_settings if settings is None else settings)
    other_caches = [name for name in OTHER_CACHE_FLAGS if getattr(batch, name, None)]
    if other_caches and settings is not None and options is not None:
        raise ValueError(f"navicache: the request asks for {' and '.join(other_caches)} too: ask for one cache")
    return None if other_caches or batch.is_warmup else options
