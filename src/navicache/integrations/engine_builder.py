"""Build the engine for the site of a policy."""

import sys
from collections.abc import Sequence
from typing import Any

from torch import nn

from navicache.engine import (
    BlockEngine,
    CacheEngine,
    CallReader,
    ModelEngine,
    ModelStructure,
    ModuleEngine,
    find_block_lists,
)
from navicache.engine.tensors.compile_guards import COMPILED_MODEL_MESSAGE
from navicache.models import SIGNAL_MODULES
from navicache.policies import Blocks, Policy


def build_engine(
    policy: Policy, reader: CallReader, target: Any, block_list_names: Sequence[str], **options: Any
) -> CacheEngine:
    """Build an engine that is not attached yet; `options` are keywords of every engine."""
    site = policy.schemes()[0].site
    if site == "model":
        return ModelEngine(policy, reader, **options)
    kind = BlockEngine if isinstance(site, Blocks) else ModuleEngine
    return kind(describe_model_structure(target, policy.name, block_list_names), policy, reader, **options)


def describe_model_structure(target: Any, policy_name: str, block_list_names: Sequence[str] = ()) -> ModelStructure:
    """Find the blocks and signals inside a model."""
    model = target
    if isinstance(model, nn.Module) and "_orig_mod" in dict(model.named_children()):  # of torch.compile
        raise ValueError(COMPILED_MODEL_MESSAGE)
    if not isinstance(model, nn.Module):
        raise TypeError(
            f"policy {policy_name!r} caches parts inside a model, and a {type(model).__name__} is not a module: pass "
            "the module, or use a policy at the site of the whole model"
        )
    lists = find_block_lists(model, block_list_names)
    returns: dict[type[nn.Module], tuple[int, int]] = {}
    if "diffusers" in sys.modules:
        from navicache.integrations import diffusers

        returns = diffusers.find_block_output_indices(lists)
    return ModelStructure(model, lists, returns, SIGNAL_MODULES.get(type(model).__name__, {}))
