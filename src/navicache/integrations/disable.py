"""`disable`: remove a cache without its handle."""

import sys
from typing import Any

from torch import nn

from navicache.integrations.attachments import find_attachment
from navicache.integrations.cache import Cache
from navicache.integrations.denoiser_search import find_denoisers


def disable(target: Any) -> None:
    """Remove the cache of a pipeline or a module without its handle; no effect if it has none."""
    if isinstance(target, Cache):
        return target.disable()
    parts = [target]
    if "diffusers" in sys.modules:
        from navicache.integrations import diffusers

        if isinstance(target, diffusers.PIPELINE_CLASSES):
            parts = list(find_denoisers(target).values())
        for part in parts:
            diffusers.detach_cache(part)
    for part in parts:
        if not isinstance(part, nn.Module):
            raise TypeError(
                f"cannot disable a {type(part).__name__}: pass a pipeline, a module or the handle of enable"
            )
        attached = find_attachment(part)
        if attached is not None:
            attached.detach()
    return None
