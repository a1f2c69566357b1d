"""Policies decide when to compute and how to predict the other outputs; floats only, the engine owns the tensors."""

from typing import TYPE_CHECKING

from navicache.policies.cache_sites import Blocks, FilteredLatent, ModuleKind, Modules, Signal, Site
from navicache.policies.catalog import POLICIES, build_policy, find_policy
from navicache.policies.chebyshev_ridge import ChebyshevRidge
from navicache.policies.dbcache import DBCache
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.easycache import EasyCache, Ema
from navicache.policies.error_gate import ErrorGate
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.firstblockcache import FirstBlockCache
from navicache.policies.fixed_schedules import IndexGate, Random, Static
from navicache.policies.guards import add_guards
from navicache.policies.hicache import HiCache
from navicache.policies.inertial import Inertial
from navicache.policies.l2p import L2P
from navicache.policies.magcache import MagCache
from navicache.policies.meancache import MeanCache
from navicache.policies.measured_fields import find_nonfinite_fields
from navicache.policies.navicache import NaviCache
from navicache.policies.pab import PAB
from navicache.policies.policy import Policy, Scheme, collect_knob_values
from navicache.policies.predictors import OutputHold, PolynomialExtrapolation, ResidualHold
from navicache.policies.probe import ProbeGate, ProbePolicy
from navicache.policies.protocols import (
    Decision,
    Gate,
    InnerProducts,
    NoiseLevels,
    Outcome,
    PredictionWeights,
    Predictor,
    Step,
)
from navicache.policies.schedule import Schedule
from navicache.policies.seacache import SeaCache
from navicache.policies.spectrum import Spectrum
from navicache.policies.taylorseer import TaylorSeer
from navicache.policies.teacache import TeaCache
from navicache.renamed import resolve_renamed

__all__ = [
    "L2P",
    "PAB",
    "POLICIES",
    "Blocks",
    "ChebyshevRidge",
    "DBCache",
    "DeadReckoning",
    "Decision",
    "EasyCache",
    "Ema",
    "ErrorGate",
    "FilteredLatent",
    "FiniteDifferences",
    "FirstBlockCache",
    "Gate",
    "HiCache",
    "IndexGate",
    "Inertial",
    "InnerProducts",
    "MagCache",
    "MeanCache",
    "ModuleKind",
    "Modules",
    "NaviCache",
    "NoiseLevels",
    "Outcome",
    "OutputHold",
    "Policy",
    "PolynomialExtrapolation",
    "PredictionWeights",
    "Predictor",
    "ProbeGate",
    "ProbePolicy",
    "Random",
    "ResidualHold",
    "Schedule",
    "Scheme",
    "SeaCache",
    "Signal",
    "Site",
    "Spectrum",
    "Static",
    "Step",
    "TaylorSeer",
    "TeaCache",
    "add_guards",
    "build_policy",
    "collect_knob_values",
    "find_nonfinite_fields",
    "find_policy",
]

if not TYPE_CHECKING:  # type checkers know the new names only
    __getattr__ = resolve_renamed(
        __name__,
        {
            "Differences": "FiniteDifferences",
            "Products": "InnerProducts",
            "Taylor": "PolynomialExtrapolation",
            "Verdict": "Decision",
            "Weights": "PredictionWeights",
            "guarded": "add_guards",
            "nonfinite_fields": "find_nonfinite_fields",
            "settings": "collect_knob_values",
        },
    )
