"""Inspect a model without running it, for `navicache doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from torch import nn

from navicache.engine import CallReader, find_modules
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.engine_builder import build_engine, describe_model_structure
from navicache.integrations.policy_choice import DEFAULT_MODE, CacheOptions, choose_policy
from navicache.models import ModelSpec, find_model
from navicache.policies import POLICIES, Blocks, ModuleKind, Modules, Policy

NO_MODULES = "no attention or MLP under a known name in its blocks"
POSSIBLE_BY_STRUCTURE = "possible by structure; the first call decides"


@dataclass(frozen=True)
class ModelInspection:
    """One denoiser: its arguments, its blocks, and the policies it supports."""

    name: str  # of the component
    kind: str  # class
    places: Mapping[str, tuple[Any, ...]]  # latent, time and conditioning among the arguments
    lists: Mapping[str, str]  # list of blocks -> number and class
    modules: Mapping[str, int]  # kind -> number
    sites: Mapping[str, str]  # site -> why not; empty if it is possible
    known_as: str
    note: str
    policies: tuple["PolicySupport", ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class PolicySupport:
    """Whether a policy works on the model."""

    policy: str
    site: str
    refused: str  # why not; empty if it works
    preset: str  # where its settings come from; empty for the policy's defaults


def inspect_model(
    component_name: str, model: nn.Module, config: Mapping[str, Any], expert_count: int = 1
) -> ModelInspection:
    """Inspect a denoiser; it may be on the meta device."""
    spec = find_model(type(model).__name__, dict(config), experts=expert_count)
    problems: list[str] = []
    places: Mapping[str, tuple[Any, ...]] = {}
    try:
        places = CallReader(spec.call, get_forward_signature(model)).argument_keys
    except ValueError as error:
        problems.append(str(error))
    lists, no_blocks = _describe_block_lists(model)
    modules = _count_modules(model) if lists else {}
    no_modules = no_blocks or ("" if any(modules.values()) else NO_MODULES)
    return ModelInspection(
        name=component_name,
        kind=type(model).__name__,
        places=places,
        lists=lists,
        modules=modules,
        sites={"model": "; ".join(problems), "blocks": no_blocks, "modules": no_modules},
        known_as=spec.name,
        note=spec.note,
        policies=tuple(_check_policy_support(policy, spec, model) for policy in POLICIES),
        problems=tuple(problems),
    )


def _describe_block_lists(model: nn.Module) -> tuple[dict[str, str], str]:
    """Describe the lists of blocks, or say why there are none."""
    try:
        lists = describe_model_structure(model, "doctor").block_lists
    except ValueError as error:
        return {}, str(error)
    kinds = {name: dict.fromkeys(type(block).__name__ for block in blocks) for name, blocks in lists.items()}
    return {name: f"{len(blocks)} x {', '.join(kinds[name])}" for name, blocks in lists.items()}, ""


def _count_modules(model: nn.Module) -> dict[str, int]:
    parts = describe_model_structure(model, "doctor")
    return {kind: len(find_modules(parts, Modules(kind))) for kind in get_args(ModuleKind)}


def _check_policy_support(policy_name: str, spec: ModelSpec, model: nn.Module) -> PolicySupport:
    """Build the engine that `enable` would attach."""
    preset = spec.presets.get(policy_name, {}).get(DEFAULT_MODE)
    source = "" if preset is None else f"{preset.source}{' (inferred)' if preset.inferred else ''}"
    try:
        policy = choose_policy(CacheOptions(policy_name), spec)
        site = _describe_site(policy)
        build_engine(policy, CallReader(spec.call, get_forward_signature(model)), model, (), model="", call=spec.call)
    except ValueError as error:
        return PolicySupport(policy_name, "-", str(error), source)
    return PolicySupport(policy_name, site, "", source)


def _describe_site(policy: Policy) -> str:
    match policy.schemes()[0].site:
        case Blocks(first=0, last=0):
            return "blocks"
        case Blocks(first=first, last=last):
            return f"blocks, outer {first} + {last}"
        case Modules():
            return "modules"
        case _:
            return "model"
