"""The parts of a model that an engine uses."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import nn


@dataclass(frozen=True)
class ModelStructure:
    """The parts of a model that an engine uses: lists of blocks, positions of tokens, modules of signals."""

    model: nn.Module
    block_lists: Mapping[str, nn.ModuleList]
    # Places of video and text tokens.
    token_positions: Mapping[type[nn.Module], tuple[int, int]] = field(default_factory=dict)
    signal_modules: Mapping[str, str] = field(default_factory=dict)  # signal -> the submodule whose output it is

    @property
    def block_count(self) -> int:
        """Blocks in all lists."""
        return sum(map(len, self.block_lists.values()))
