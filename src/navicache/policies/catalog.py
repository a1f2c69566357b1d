"""Every policy by its name."""

from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from navicache.policies.dbcache import DBCache
from navicache.policies.easycache import EasyCache, Ema
from navicache.policies.firstblockcache import FirstBlockCache
from navicache.policies.fixed_schedules import Random, Static
from navicache.policies.hicache import HiCache
from navicache.policies.inertial import Inertial
from navicache.policies.l2p import L2P
from navicache.policies.magcache import MagCache
from navicache.policies.meancache import MeanCache
from navicache.policies.navicache import NaviCache
from navicache.policies.pab import PAB
from navicache.policies.policy import Policy
from navicache.policies.schedule import Schedule
from navicache.policies.seacache import SeaCache
from navicache.policies.spectrum import Spectrum
from navicache.policies.taylorseer import TaylorSeer
from navicache.policies.teacache import TeaCache

POLICIES: dict[str, type[Policy]] = {
    "navicache": NaviCache,
    "inertial": Inertial,
    "schedule": Schedule,
    "easycache": EasyCache,
    "ema": Ema,
    "teacache": TeaCache,
    "magcache": MagCache,
    "pab": PAB,
    "firstblockcache": FirstBlockCache,
    "dbcache": DBCache,
    "taylorseer": TaylorSeer,
    "hicache": HiCache,
    "spectrum": Spectrum,
    "seacache": SeaCache,
    "l2p": L2P,
    "meancache": MeanCache,
    "static": Static,
    "random": Random,
}


def find_policy(name: str) -> type[Policy]:
    """Return the policy class of that name.

    Example:
        >>> find_policy("navicache").__name__
        'NaviCache'
    """
    if name not in POLICIES:
        raise ValueError(f"unknown policy {name!r}; known: {', '.join(POLICIES)}")
    return POLICIES[name]


def build_policy(name: str, /, **knobs: Any) -> Policy:
    """Build a policy by name; unknown knobs raise a ValueError.

    Example:
        >>> build_policy("static", interval=3)
        Static(interval=3, align_steps=1, last_step=True)
    """
    kind = find_policy(name)
    known = [f.name for f in fields(kind)]  # pyright: ignore[reportArgumentType]
    for knob in knobs:
        if knob not in known:
            near = get_close_matches(knob, known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ValueError(f"policy {name!r} has no knob {knob!r}; {hint}knobs: {', '.join(known)}")
    return kind(**knobs)
