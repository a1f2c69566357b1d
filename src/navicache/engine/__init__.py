"""All tensors and all mutation: measure, store, predict, find runs and streams."""

from navicache.engine.errors import CannotCache, SharedModel
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.rank_group import RankGroup
from navicache.engine.sites.block_engine import BlockEngine
from navicache.engine.sites.cache_engine import CacheEngine
from navicache.engine.sites.fallback_policy import FallbackPolicy
from navicache.engine.sites.intercepted_blocks import find_block_lists
from navicache.engine.sites.model_engine import ModelEngine
from navicache.engine.sites.model_structure import ModelStructure
from navicache.engine.sites.module_engine import ModuleEngine
from navicache.engine.sites.module_group import find_modules
from navicache.engine.sites.probe_engine import ProbeEngine, ProbeMeasurement
from navicache.engine.tracking.model_call import CallReader
from navicache.engine.tracking.placement import CallFacts

__all__ = [
    "BlockEngine",
    "CacheEngine",
    "CallFacts",
    "CallReader",
    "CannotCache",
    "FallbackPolicy",
    "ModelEngine",
    "ModelStructure",
    "ModuleEngine",
    "ProbeEngine",
    "ProbeMeasurement",
    "RankGroup",
    "SharedModel",
    "StorageOptions",
    "find_block_lists",
    "find_modules",
]
