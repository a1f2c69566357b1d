"""Three ways to spread a model over two ranks."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


def ulysses(pipe: Any) -> None:
    """`enable_parallelism` without its search for an accelerator."""
    from diffusers import ContextParallelConfig
    from diffusers.hooks.context_parallel import apply_context_parallel
    from diffusers.models._modeling_parallel import ParallelConfig

    config = ContextParallelConfig(ulysses_degree=2)
    whole = ParallelConfig(context_parallel_config=config)
    mesh = init_device_mesh("cpu", (1, 2), mesh_dim_names=("ring", "ulysses"))
    whole.setup(dist.get_rank(), 2, torch.device("cpu"), mesh=mesh)
    for block in pipe.transformer.blocks:
        for attention in (block.attn1, block.attn2):
            attention.processor._attention_backend = "native"
            attention.processor._parallel_config = whole
    apply_context_parallel(pipe.transformer, config, pipe.transformer._cp_plan)


def tensor_parallel(pipe: Any) -> None:
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("cpu", (2,))
    for block in pipe.transformer.blocks:
        parallelize_module(block.ffn, mesh, {"net.0.proj": ColwiseParallel(), "net.2": RowwiseParallel()})


def fsdp(pipe: Any) -> None:
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (2,))
    for block in pipe.transformer.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(pipe.transformer, mesh=mesh)
