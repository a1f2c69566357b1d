"""Read the cache options of a request, or else of the server."""

import functools
from typing import Any

from navicache.integrations.policy_choice import CacheOptions
from navicache.integrations.scheduler import read_noise_levels
from navicache.integrations.tuned_runs import RunSampling
from navicache_serving.server_settings import add_server_file, read_settings

EXTRA_FIELD = "diffusers_kwargs"  # the field of a request, and of its JSON, for values that SGLang does not know
SETTINGS_KEY = "navicache"
H3_SIGMAS = "minimax_h3_sigmas"  # in the extras of MiniMax H3's requests: {"video": [...], "audio": [...]}
OTHER_CACHE_FLAGS = ("enable_teacache", "enable_spectrum", "enable_cache_dit")  # of a request


def read_request_options(batch: Any, server_settings: Any) -> CacheOptions | None:
    """Read the options of a request; None if it must not be cached.

    The request's settings override the server's: a request for another cache gets that cache. A warm-up request is not
    cached, because it has to run the model.
    """
    settings = (batch.extra.get(EXTRA_FIELD) or {}).get(SETTINGS_KEY)
    options = read_settings(server_settings if settings is None else add_server_file(settings, server_settings))
    other_caches = list_other_caches(batch)
    if other_caches and settings is not None and options is not None:
        raise ValueError(f"navicache: the request asks for {' and '.join(other_caches)} too: ask for one cache")
    return None if other_caches or batch.is_warmup else options


def list_other_caches(batch: Any) -> list[str]:
    """List the other caches that a request asks for. MiniMax H3 has one under a quality, and no other model has."""
    flags = [name for name in OTHER_CACHE_FLAGS if getattr(batch, name, None)]
    has_h3_cache = H3_SIGMAS in batch.extra and batch.sampling_params.quality == "high"
    return [*flags, "quality 'high'"] if has_h3_cache else flags


def describe_request_sampling(batch: Any, scheduler: Any = None) -> RunSampling:
    """Guidance and noise levels of a request. SGLang's schedulers are not diffusers' classes, so none is named.

    `scheduler` is that of the stage, for requests without their own.
    """
    scheduler = getattr(batch, "scheduler", None) or scheduler
    guidance = getattr(batch, "guidance_scale", None)
    levels = None if scheduler is None else functools.partial(read_noise_levels, scheduler)
    return RunSampling("", float(guidance) if isinstance(guidance, int | float) else None, levels)
