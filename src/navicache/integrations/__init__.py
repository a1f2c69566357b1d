"""Attach the cache to diffusers pipelines and models, to any module, and to any callable."""

from navicache.integrations.cache import Cache
from navicache.integrations.disable import disable
from navicache.integrations.enable import enable

__all__ = ["Cache", "disable", "enable"]
