"""All tensors and all mutation: measure, store, predict, find runs and streams."""

from navicache.engine.anatomy import Anatomy
from navicache.engine.block_list import find_lists
from navicache.engine.blocks import BlockEngine
from navicache.engine.call import Reader
from navicache.engine.core import Core
from navicache.engine.engine import Engine
from navicache.engine.errors import CannotCache
from navicache.engine.modules import ModuleEngine, find_modules
from navicache.engine.probe import Probe, Probing, Sight
from navicache.engine.ranks import Ranks
from navicache.engine.stream import Keep
from navicache.engine.tracker import Host

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
    "Probing",
    "Ranks",
    "Reader",
    "Sight",
    "find_lists",
    "find_modules",
]
