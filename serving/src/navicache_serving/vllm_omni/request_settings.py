"""Choose the settings of a request, or else of the server."""

from collections.abc import Sequence
from typing import Any

from navicache_serving.server_settings import add_server_file

EXTRA_KEY = "navicache"  # in a request's extra_args, which are `extra_params` in its JSON
EXACT_QUALITY = "lossless"  # vLLM-Omni's word for its reference path


def choose_request_settings(params: Any, server_settings: Any, has_own_cache: bool = False) -> Any:
    """Choose the settings of one request by its sampling parameters: its own, or its quality's, or the server's.

    vLLM-Omni has the qualities "lossless" and "high". Some pipelines answer "high" with a cache of their own.
    """
    own, quality = (params.extra_args or {}).get(EXTRA_KEY), params.quality
    takes_other_cache = has_own_cache and quality not in (None, EXACT_QUALITY)
    if own is not None:
        if takes_other_cache and own is not False:
            raise ValueError(f"navicache: quality {quality!r} is a cache of this pipeline: ask for one cache")
        return add_server_file(own, server_settings)
    if quality == EXACT_QUALITY or takes_other_cache:
        return False
    return server_settings if quality is None else add_server_file({"quality": quality}, server_settings)


def choose_wave_settings(
    requests: Sequence[Any], server_settings: Any, has_own_cache: bool = False
) -> tuple[Any, bool]:
    """Choose the settings of requests that run together, and whether they agree; if not, nothing is cached."""
    first, *others = (each.sampling_params for each in requests)
    if any(read_own_part(each) != read_own_part(first) for each in others):
        return False, False
    return choose_request_settings(first, server_settings, has_own_cache), True


def read_own_part(params: Any) -> Any:
    """What a request says about the cache. vLLM-Omni puts requests of one quality together, whatever this says."""
    return (params.extra_args or {}).get(EXTRA_KEY)
