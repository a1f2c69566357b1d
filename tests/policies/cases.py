"""Every policy of the catalog as it is, and some with the options that change what it remembers."""

from dataclasses import fields
from typing import Any

import pytest
from tests.policies.drive import Single

from navicache.policies import POLICIES, Policy, build_policy, find_policy

RATIOS = {"ratios": (1.0, *([0.99, 1.01, 0.97] * 17)[:49]), "longest_reuse": 4}  # it has no table of its own
LINES = {
    "weights": tuple(w for i in range(1, 50) for w in (*[0.0] * (i - 2), *(-0.5, 1.5)[-i:]))
}  # half of every slope
EDGES = [(start, end) for end in range(1, 50) for start in range(end)]
PATHS = {
    "sigmas": tuple(1 - i / 50 for i in range(51)),
    "costs": tuple(float((end - start) ** 2) for start, end in EDGES),
    "spans": tuple(1 + start % 3 for start, _ in EDGES),
    "budget": 20,
}
# Every policy as it is, and some with the options that change what it remembers.
CASES: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in POLICIES}
CASES |= {
    "navicache, filtered": ("navicache", {"alignment": "filtered"}),
    "navicache, by channel": ("navicache", {"dimensions": "channel"}),
    "navicache, upper bound": ("navicache", {"gate_on": "upper_bound"}),
    "navicache, drift": ("navicache", {"state": "ratio_and_drift", "threshold": 0.05}),
    "navicache, paper text": ("navicache", {"paper_text": True, "threshold": 2.0}),
    "navicache, blocks": ("navicache", {"site": "blocks"}),
    "teacache, polynomial": ("teacache", {"coefficients": (9.0, -3.0, 1.0, 0.8, 0.001), "signal": "time"}),
    "magcache": ("magcache", RATIOS),
    "l2p": ("l2p", LINES),
    "l2p, listed": ("l2p", {**LINES, "at": (0, 1, 2, 5, 6, 11, 20, 29)}),
    "meancache": ("meancache", PATHS),
    "pab, every kind": ("pab", {"temporal_attention": 3, "cross_attention": 4, "mlp_keys": (760, 400)}),
    "dbcache, forecast": ("dbcache", {"order": 2, "last": 1, "most_reused": 30}),
    "taylorseer, lite": ("taylorseer", {"lite": True, "order": 2}),
    "hicache, lite": ("hicache", {"lite": True, "order": 3, "scale": 0.7}),
    "spectrum, paper": ("spectrum", {"share": 1.0, "growth": 1.5, "history": 8}),
    "spectrum, model": ("spectrum", {"site": "model", "degree": 0}),
    "seacache, dead reckoning": ("seacache", {"predictor": "dead_reckoning", "longest_reuse": None}),
    "seacache, held": ("seacache", {"order": 0}),
    "inertial, speed-up": ("inertial", {"threshold": None, "speedup": 2.0}),
    "inertial, promise": ("inertial", {"threshold": None, "max_error": 0.1}),
    "schedule": ("schedule", {"at": (0, 1, 2, 5, 6, 11, 20, 29)}),
}
every_policy = pytest.mark.parametrize("name", CASES)


def knobs_of(name: str) -> set[str]:
    return {f.name for f in fields(find_policy(CASES[name][0]))}  # pyright: ignore[reportArgumentType]


def sample(name: str, **knobs: Any) -> Policy:
    """A policy that computes and reuses on `smooth` runs."""
    kind, options = CASES[name]
    defaults = {"threshold": 0.07, "align_steps": 5, "last_step": True}
    return build_policy(kind, **{k: v for k, v in defaults.items() if k in knobs_of(name)} | options | knobs)


def singles(name: str, **knobs: Any) -> list[Single]:
    """Each of its schemes by itself, as the engine runs them."""
    return [Single(scheme) for scheme in sample(name, **knobs).schemes()]
