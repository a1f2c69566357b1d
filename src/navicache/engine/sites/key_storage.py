"""Calls of a model that store keys and values for later ones, and predict nothing."""

from collections.abc import Mapping
from typing import Any

STORING_FLAG = "kv_cache_flag", "is_cache_step"  # argument and entry, in AnyFlow's causal model


def stores_keys_only(kwargs: Mapping[str, Any]) -> bool:
    """Whether the caller says that this call only stores keys and values: it is no step, and passes by the engine.

    Example:
        >>> stores_keys_only({"kv_cache_flag": {"is_cache_step": True}}), stores_keys_only({"kv_cache_flag": None})
        (True, False)
    """
    argument, entry = STORING_FLAG
    flag = kwargs.get(argument)
    return isinstance(flag, Mapping) and bool(flag.get(entry))
