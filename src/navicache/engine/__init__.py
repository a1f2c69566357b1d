"""All tensors and all mutation: measure, store, predict, find runs and streams."""

from navicache.engine.call import Reader
from navicache.engine.engine import Engine
from navicache.engine.errors import CannotCache
from navicache.engine.stream import Keep
from navicache.engine.tracker import Host

__all__ = ["CannotCache", "Engine", "Host", "Keep", "Reader"]
