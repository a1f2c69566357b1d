"""Policies: when to compute, and what to return instead. Numbers only; the engine owns the tensors."""

from navicache.policies.catalog import POLICIES, build_policy, find_policy
from navicache.policies.dbcache import DBCache
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.differences import Differences
from navicache.policies.easycache import EasyCache, Ema
from navicache.policies.error_gate import ErrorGate
from navicache.policies.firstblockcache import FirstBlockCache
from navicache.policies.fixed import IndexGate, Random, Static
from navicache.policies.guards import guarded
from navicache.policies.inertial import Inertial
from navicache.policies.l2p import L2P
from navicache.policies.magcache import MagCache
from navicache.policies.meancache import MeanCache
from navicache.policies.measured import nonfinite_fields
from navicache.policies.navicache import NaviCache
from navicache.policies.pab import PAB
from navicache.policies.policy import Policy, Scheme, settings
from navicache.policies.predictors import OutputHold, ResidualHold, Taylor
from navicache.policies.probe import ProbeGate, ProbePolicy
from navicache.policies.protocols import Gate, Outcome, Predictor, Products, Step, Verdict, Weights
from navicache.policies.schedule import Schedule
from navicache.policies.seacache import SeaCache
from navicache.policies.sites import Blocks, FilteredLatent, ModuleKind, Modules, Signal, Site
from navicache.policies.taylorseer import TaylorSeer
from navicache.policies.teacache import TeaCache

__all__ = [
    "L2P",
    "PAB",
    "POLICIES",
    "Blocks",
    "DBCache",
    "DeadReckoning",
    "Differences",
    "EasyCache",
    "Ema",
    "ErrorGate",
    "FilteredLatent",
    "FirstBlockCache",
    "Gate",
    "IndexGate",
    "Inertial",
    "MagCache",
    "MeanCache",
    "ModuleKind",
    "Modules",
    "NaviCache",
    "Outcome",
    "OutputHold",
    "Policy",
    "Predictor",
    "ProbeGate",
    "ProbePolicy",
    "Products",
    "Random",
    "ResidualHold",
    "Schedule",
    "Scheme",
    "SeaCache",
    "Signal",
    "Site",
    "Static",
    "Step",
    "Taylor",
    "TaylorSeer",
    "TeaCache",
    "Verdict",
    "Weights",
    "build_policy",
    "find_policy",
    "guarded",
    "nonfinite_fields",
    "settings",
]
