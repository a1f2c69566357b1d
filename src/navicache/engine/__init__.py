"""All tensors and all mutation: measure, store, predict, find runs and streams."""

from navicache.engine.errors import CannotCache
from navicache.engine.predict.stream import Keep
from navicache.engine.ranks import Ranks
from navicache.engine.sites.anatomy import Anatomy
from navicache.engine.sites.block_list import find_lists
from navicache.engine.sites.blocks import BlockEngine
from navicache.engine.sites.core import Core
from navicache.engine.sites.model import Engine
from navicache.engine.sites.modules import ModuleEngine
from navicache.engine.sites.part import find_modules
from navicache.engine.sites.probe import Probe, Sight
from navicache.engine.tracking.call import Reader
from navicache.engine.tracking.placement import Host

__all__ = [
    "Anatomy",
    "BlockEngine",
    "CannotCache",
    "Core",
    "Engine",
    "Host",
    "Keep",
    "ModuleEngine",
    "Probe",
    "Ranks",
    "Reader",
    "Sight",
    "find_lists",
    "find_modules",
]
