"""Tiny ControlNets and adapters, made of the denoiser that they steer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.tiny.common import component
from torch import nn

DENOISERS = ("unet", "transformer")
FACTORIES = {name: f"from_{name}" for name in DENOISERS}
COLOURS = {"conditioning_embedding_out_channels": (4, 4, 4, 8)}
HEADS = {"attention_head_dim": 12, "num_attention_heads": 2, "load_weights_from_transformer": False}
ARGUMENTS: dict[str, dict[str, Any]] = {  # what the factory of a class is handed beside the denoiser
    "ControlNetModel": COLOURS,
    "ControlNetUnionModel": COLOURS,
    "ControlNetXSAdapter": {**COLOURS, "size_ratio": 0.5, "num_attention_heads": [2, 2]},
    "FluxControlNetModel": {**HEADS, "num_layers": 1, "num_single_layers": 1},
    "SD3ControlNetModel": {
        "num_layers": 1,
        "num_extra_conditioning_channels": 0,
        "load_weights_from_transformer": False,
    },
    "HunyuanDiT2DControlNetModel": {"load_weights_from_transformer": False},
    "QwenImageControlNetModel": {**HEADS, "num_layers": 1},
}


def build_control(kinds: tuple[type, ...], models: Mapping[str, Any], seed: int) -> nn.Module | None:
    """A model of one of the classes that is made of a pipeline's denoiser, with weights of its own."""
    for kind in kinds:
        for name, factory in FACTORIES.items():
            if kind.__name__ in ARGUMENTS and factory in dir(kind) and models.get(name) is not None:
                make = getattr(kind, factory)
                return component(lambda make=make, n=name, k=kind: make(models[n], **ARGUMENTS[k.__name__]), seed=seed)
    return None
