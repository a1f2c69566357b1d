"""Where the engine is put: diffusers pipelines and models, any module, any callable."""

from navicache.integrations.cache import Cache
from navicache.integrations.enable import disable, enable

__all__ = ["Cache", "disable", "enable"]
