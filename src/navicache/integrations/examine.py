"""What the cache finds in a model, without running it: the facts `navicache doctor` tells."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from torch import nn

from navicache.engine import Reader, find_modules
from navicache.integrations.attach import signature_of
from navicache.integrations.build import anatomy, build_engine
from navicache.integrations.choose import DEFAULT_MODE, Options, choose_policy
from navicache.models import ModelSpec, find_model
from navicache.policies import POLICIES, Blocks, ModuleKind, Modules, Policy

NOT_BY_STRUCTURE = "possible by structure; the first call settles it"


@dataclass(frozen=True)
class Finding:
    """One denoiser: where things are, and what can be done."""

    name: str  # of the component
    kind: str  # class
    places: Mapping[str, tuple[Any, ...]]  # latent, time and conditioning among the arguments
    lists: Mapping[str, str]  # list of blocks -> how many of which class
    modules: Mapping[str, int]  # kind -> how many
    sites: Mapping[str, str]  # site -> why not; empty where it is possible
    known_as: str
    note: str
    policies: tuple["Possibility", ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Possibility:
    """What a policy could do there."""

    policy: str
    site: str
    refused: str  # why not; empty where it is possible
    preset: str  # where its settings come from; empty where the policy's own defaults hold


def examine(name: str, model: nn.Module, config: Mapping[str, Any], experts: int = 1) -> Finding:
    """Look at a denoiser; it may be on the meta device."""
    spec = find_model(type(model).__name__, dict(config), experts=experts)
    problems: list[str] = []
    places: Mapping[str, tuple[Any, ...]] = {}
    try:
        places = Reader(spec.call, signature_of(model)).places
    except ValueError as error:
        problems.append(str(error))
    lists, no_blocks = _lists(model)
    modules = _modules(model) if lists else {}
    sites = {"model": "; ".join(problems), "blocks": no_blocks, "modules": no_blocks or _lacking(modules)}
    possible = tuple(_try(policy, spec, model) for policy in POLICIES)
    return Finding(
        name, type(model).__name__, places, lists, modules, sites, spec.name, spec.note, possible, tuple(problems)
    )


def _lists(model: nn.Module) -> tuple[dict[str, str], str]:
    """Lists of blocks in words, or why there are none."""
    try:
        lists = anatomy(model, "doctor").lists
    except ValueError as error:
        return {}, str(error)
    kinds = {name: dict.fromkeys(type(block).__name__ for block in blocks) for name, blocks in lists.items()}
    return {name: f"{len(blocks)} x {', '.join(kinds[name])}" for name, blocks in lists.items()}, ""


def _modules(model: nn.Module) -> dict[str, int]:
    parts = anatomy(model, "doctor")
    return {kind: len(find_modules(parts, Modules(kind))) for kind in get_args(ModuleKind)}


def _lacking(modules: Mapping[str, int]) -> str:
    return "" if any(modules.values()) else "no attention or MLP under a known name in its blocks"


def _try(name: str, spec: ModelSpec, model: nn.Module) -> Possibility:
    """Build what `enable` would attach."""
    known = spec.presets.get(name, {})
    used = known.get(DEFAULT_MODE)
    source = "" if used is None else f"{used.source}{' (inferred)' if used.inferred else ''}"
    try:
        policy = choose_policy(Options(name), spec)
        site = _site(policy)
        build_engine(policy, Reader(spec.call, signature_of(model)), model, (), model="", call=spec.call)
    except ValueError as error:
        return Possibility(name, "-", str(error), source)
    return Possibility(name, site, "", source)


def _site(policy: Policy) -> str:
    match policy.schemes()[0].site:
        case Blocks(first=0, last=0):
            return "blocks"
        case Blocks(first=first, last=last):
            return f"blocks, outer {first} + {last}"
        case Modules():
            return "modules"
        case _:
            return "model"
