"""Where the engine is put: diffusers pipelines and models, any module, any callable."""

from navicache.integrations.cache import Cache
from navicache.integrations.disable import disable
from navicache.integrations.enable import enable

__all__ = ["Cache", "disable", "enable"]
