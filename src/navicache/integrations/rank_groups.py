"""Which ranks call a model together, as far as the model itself can tell."""

import sys
from typing import Any

from torch import distributed, nn

from navicache.engine import Ranks


def get_class_name(target: object) -> str:
    """The name of a model's class; FSDP2 gives each module a class of its own, below which the real one is."""
    kind = type(target)
    if "torch.distributed.fsdp" in sys.modules:
        from torch.distributed.fsdp import FSDPModule

        kind = kind.__bases__[-1] if issubclass(kind, FSDPModule) else kind
    return kind.__name__


def find_ranks(target: Any, group: Any = None) -> Ranks | None:
    """The ranks of the group that was given, or of the largest mesh the model lies on; None for a rank by itself."""
    if not distributed.is_available() or not distributed.is_initialized():
        return None
    if group is None and isinstance(target, nn.Module):
        group = _find_common_group(find_device_meshes(target))
    return None if group is None or distributed.get_world_size(group) < 2 else Ranks(group)


def find_device_meshes(model: nn.Module) -> list[Any]:
    """Device meshes of sharded parameters, and of diffusers' context parallel hooks."""
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
            f"this model lies on {len(meshes)} meshes, none of which holds all their ranks: say which ranks call it "
            "together with navicache.enable(..., group=...)"
        )
    return (largest if largest.ndim == 1 else largest._flatten()).get_group()
