"""Find the ranks that call a model together."""

import sys
from typing import Any

from torch import distributed, nn

from navicache.engine import RankGroup


def get_class_name(target: object) -> str:
    """The name of a model's class; FSDP2 wraps each class in a subclass, which is skipped."""
    kind = type(target)
    if "torch.distributed.fsdp" in sys.modules:
        from torch.distributed.fsdp import FSDPModule

        kind = kind.__bases__[-1] if issubclass(kind, FSDPModule) else kind
    return kind.__name__


def find_ranks(target: Any, group: Any = None) -> RankGroup | None:
    """Find the ranks of the given group, or of the largest mesh of the model; None on a single rank."""
    if not distributed.is_available() or not distributed.is_initialized():
        return None
    if group is None and isinstance(target, nn.Module):
        group = _find_common_group(find_device_meshes(target))
    return None if group is None or distributed.get_world_size(group) < 2 else RankGroup(group)


def find_device_meshes(model: nn.Module) -> list[Any]:
    """Find the device meshes of sharded parameters and of diffusers' context parallel hooks."""
    from torch.distributed.tensor import DTensor

    found = [weight.device_mesh for weight in model.parameters() if isinstance(weight, DTensor)]
    if "diffusers" in sys.modules:
        from diffusers.hooks.context_parallel import ContextParallelGatherHook, ContextParallelSplitHook

        registries = [vars(part)["_diffusers_hook"] for part in model.modules() if "_diffusers_hook" in vars(part)]
        hooks = (hook for registry in registries for hook in registry.hooks.values())
        parallel = (hook for hook in hooks if isinstance(hook, ContextParallelSplitHook | ContextParallelGatherHook))
        found.extend(hook.parallel_config._flattened_mesh for hook in parallel)  # where 0.42 keeps it
    return list(dict.fromkeys(found))


def _find_common_group(meshes: list[Any]) -> Any:
    """The group that holds all ranks of all meshes."""
    if not meshes:
        return None
    largest = max(meshes, key=lambda mesh: mesh.size())
    everyone = {rank for mesh in meshes for rank in mesh.mesh.flatten().tolist()}
    if everyone != set(largest.mesh.flatten().tolist()):
        raise ValueError(
            f"this model is on {len(meshes)} meshes, none of which has all their ranks: name the ranks that call it "
            "together with navicache.enable(..., group=...)"
        )
    return (largest if largest.ndim == 1 else largest._flatten()).get_group()
