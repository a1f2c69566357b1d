"""The sites where a computation can be replaced, and the signals a gate can watch."""

from dataclasses import dataclass
from typing import Literal

ModuleKind = Literal["self_attention", "temporal_attention", "cross_attention", "mlp"]


@dataclass(frozen=True)
class Blocks:
    """The stack of transformer blocks. The outer ones (`first` and `last` many), embeddings and head always run.

    Example:
        >>> Blocks(first=1)  # what FirstBlockCache replaces
        Blocks(first=1, last=0)
    """

    first: int = 0
    last: int = 0


@dataclass(frozen=True)
class Modules:
    """The outputs of one kind of module inside the blocks."""

    kind: ModuleKind
    blocks: tuple[int, ...] | None = None  # block indices in each list of blocks; None: all


Site = Literal["model"] | Blocks | Modules
SiteName = Literal["model", "blocks"]  # for policies that work at both
SITE_NAMES: tuple[SiteName, ...] = ("model", "blocks")


def resolve_site(name: SiteName) -> Site:
    """Return the site of that name.

    Example:
        >>> resolve_site("blocks")
        Blocks(first=0, last=0)
    """
    return Blocks() if name == "blocks" else "model"


@dataclass(frozen=True)
class FilteredLatent:
    """SeaCache's signal: the latent after a low-pass filter that follows its noise level."""

    exponent: float = 3.0  # of the expected power spectrum of a clean video


# The tensor whose change a gate watches. "input": the input of the site. "modulated": the input of the first block's
# attention. "time", "time_projection": the embedded timestep, and the modulation of the blocks.
# "first_residual": what the blocks before the site added.
TeaCacheSignal = Literal["modulated", "time", "time_projection"]
Signal = Literal["input", "first_residual"] | TeaCacheSignal | FilteredLatent
