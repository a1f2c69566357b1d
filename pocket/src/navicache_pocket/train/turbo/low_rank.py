"""An adapter of low rank on the linear layers of a transformer's blocks, in the format of published LoRA files."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

PREFIX, DOWN, UP = "transformer.", "lora_A.weight", "lora_B.weight"


class LowRankLinear(nn.Module):
    """A frozen linear layer, and the product of two small matrices beside it."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        """The product is zero at first, so nothing has changed."""
        super().__init__()
        self.base = base.requires_grad_(False)
        place = {"bias": False, "device": base.weight.device}
        self.down, self.up = nn.Linear(base.in_features, rank, **place), nn.Linear(rank, base.out_features, **place)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The layer's output and the product's."""
        return self.base(x) + self.up(self.down(x))


def add_low_rank(transformer: nn.Module, rank: int) -> dict[str, LowRankLinear]:
    """Put an adapter on every linear layer of the blocks; everything else is frozen. Returns the layers by name."""
    transformer.requires_grad_(False)
    linear = [(name, layer) for name, layer in transformer.named_modules() if isinstance(layer, nn.Linear)]
    adapted = {name: LowRankLinear(layer, rank) for name, layer in linear if name.startswith("blocks.")}
    for name, layer in adapted.items():
        transformer.set_submodule(name, layer)
    return adapted


def iterate_matrices(adapted: Mapping[str, LowRankLinear]) -> Iterator[torch.Tensor]:
    """All weights that are trained."""
    return itertools.chain.from_iterable((layer.down.weight, layer.up.weight) for layer in adapted.values())


def read_low_rank(adapted: Mapping[str, LowRankLinear]) -> dict[str, torch.Tensor]:
    """The adapter as a file has it: `load_lora_weights` of diffusers reads it."""
    named = {f"{PREFIX}{name}.{DOWN}": layer.down.weight for name, layer in adapted.items()}
    named |= {f"{PREFIX}{name}.{UP}": layer.up.weight for name, layer in adapted.items()}
    return {name: weight.detach().half().contiguous().cpu() for name, weight in named.items()}


def merge_low_rank(transformer: Any, file: Mapping[str, torch.Tensor]) -> None:
    """Add the products to the weights of a transformer."""
    for name in (key.removesuffix(DOWN) for key in file if key.endswith(DOWN)):
        weight = transformer.get_submodule(name.removeprefix(PREFIX).rstrip(".")).weight
        product = file[name + UP].float() @ file[name + DOWN].float()
        weight.data += product.to(weight.device, weight.dtype)
