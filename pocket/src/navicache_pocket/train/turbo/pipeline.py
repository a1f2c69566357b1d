"""The folder of `turbo`: an adapter and its sampler, which make wan's pipeline one of few steps."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from safetensors.torch import load_file, save

from navicache.pocket.members import ADAPTER
from navicache.records import open_atomic_file
from navicache_pocket.train.turbo.low_rank import merge_low_rank

SCHEDULER = "scheduler"


def save_adapter(weights: Mapping[str, torch.Tensor], scheduler: FlowMatchEulerDiscreteScheduler, folder: Path) -> None:
    """Write both."""
    folder.mkdir(parents=True, exist_ok=True)
    scheduler.save_pretrained(folder / SCHEDULER)
    with open_atomic_file(folder / ADAPTER) as file:
        file.write(save(dict(weights)))


def apply_adapter(pipe: Any, folder: Path) -> None:
    """Add the adapter to the weights of wan's pipeline, and exchange its sampler.

    Afterwards `pipe(prompt, num_inference_steps=8, guidance_scale=1.0, ...)` is what it was distilled for.
    """
    merge_low_rank(pipe.transformer, load_file(folder / ADAPTER))
    pipe.register_modules(scheduler=FlowMatchEulerDiscreteScheduler.from_pretrained(folder, subfolder=SCHEDULER))
