"""What is asked for: by the request, or else by the server."""

from typing import Any

from navicache.integrations import server_settings
from navicache.integrations.policy_choice import CacheOptions

EXTRA_FIELD = "diffusers_kwargs"  # the one field of a request, and of its JSON, that holds what SGLang does not know
SETTINGS_KEY = "navicache"
OTHER_CACHE_FLAGS = ("enable_teacache", "enable_spectrum", "enable_cache_dit")  # of a request


def read_request_options(batch: Any, server_settings: Any) -> CacheOptions | None:
    """Options for a request; None where it is to be left alone.

    What the request says counts more than what the server says: a request for another cache gets that cache. A warm-up
    is left alone, since it is there to run the model.
    """
    own = (batch.extra.get(EXTRA_FIELD) or {}).get(SETTINGS_KEY)
    options = server_settings.read_settings(server_settings if own is None else own)
    rivals = [name for name in OTHER_CACHE_FLAGS if getattr(batch, name, None)]
    if rivals and own is not None and options is not None:
        raise ValueError(f"navicache: the request asks for {' and '.join(rivals)} too: ask for one cache")
    return None if rivals or batch.is_warmup else options
