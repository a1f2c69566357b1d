"""Policies: when to compute, and what to return instead. Numbers only; the engine owns the tensors."""

from navicache.policies.catalog import POLICIES, build_policy, find_policy
from navicache.policies.dead_reckoning import DeadReckoning, Taylor
from navicache.policies.easycache import EasyCache, Ema
from navicache.policies.error_gate import ErrorGate
from navicache.policies.fixed import IndexGate, Random, Static
from navicache.policies.guards import guarded, nonfinite_fields
from navicache.policies.inertial import Inertial
from navicache.policies.navicache import NaviCache
from navicache.policies.policy import Policy, Scheme, settings
from navicache.policies.predictors import OutputHold, ResidualHold
from navicache.policies.protocols import Coefficient, Gate, Outcome, Predictor, Step, Verdict, Weights
from navicache.policies.sites import Blocks, FilteredLatent, ModuleKind, Modules, Signal, Site

__all__ = [
    "POLICIES",
    "Blocks",
    "Coefficient",
    "DeadReckoning",
    "EasyCache",
    "Ema",
    "ErrorGate",
    "FilteredLatent",
    "Gate",
    "IndexGate",
    "Inertial",
    "ModuleKind",
    "Modules",
    "NaviCache",
    "Outcome",
    "OutputHold",
    "Policy",
    "Predictor",
    "Random",
    "ResidualHold",
    "Scheme",
    "Signal",
    "Site",
    "Static",
    "Step",
    "Taylor",
    "Verdict",
    "Weights",
    "build_policy",
    "find_policy",
    "guarded",
    "nonfinite_fields",
    "settings",
]
