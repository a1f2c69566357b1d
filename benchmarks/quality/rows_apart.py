"""Give every sample of a call bits of its own: the engine takes bit-equal rows for guidance branches of one sample."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

NUDGE = 1e-3  # added to one element of a row


@contextmanager
def tell_rows_apart(module: torch.nn.Module, samples: int) -> Iterator[None]:
    """Let no two samples have the same bits; guidance branches, stacked, keep theirs."""
    name = list(inspect.signature(type(module).forward).parameters)[1]  # after self

    def nudge(latent: torch.Tensor) -> torch.Tensor:
        nudged = latent.clone(memory_format=torch.contiguous_format)  # packed latents are views
        flat = nudged.view(len(latent), -1)
        rows = torch.arange(len(latent), device=latent.device)
        flat[rows, rows % samples] += NUDGE
        return nudged

    def change_arguments(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        if args:
            return (nudge(args[0]), *args[1:]), kwargs
        return args, {**kwargs, name: nudge(kwargs[name])}

    handle = module.register_forward_pre_hook(change_arguments, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()
