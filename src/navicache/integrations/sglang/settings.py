"""What is asked for: by the request, or else by the server."""

from typing import Any

from navicache.integrations import served
from navicache.integrations.choose import Options

CARRIER = "diffusers_kwargs"  # the one field of a request, and of its JSON, that holds what SGLang does not know
KEY = "navicache"
RIVALS = ("enable_teacache", "enable_spectrum", "enable_cache_dit")  # of a request


def requested(batch: Any, server: Any) -> Options | None:
    """Options for a request; None where it is to be left alone.

    What the request says counts more than what the server says: a request for another cache gets that cache. A warm-up
    is left alone, since it is there to run the model.
    """
    own = (batch.extra.get(CARRIER) or {}).get(KEY)
    options = served.read(server if own is None else own)
    rivals = [name for name in RIVALS if getattr(batch, name, None)]
    if rivals and own is not None and options is not None:
        raise ValueError(f"navicache: the request asks for {' and '.join(rivals)} too: ask for one cache")
    return None if rivals or batch.is_warmup else options
