"""Where a computation may be replaced, and what is watched there: the words of the design's table, as data."""

from dataclasses import dataclass
from typing import Literal

ModuleKind = Literal["self_attention", "temporal_attention", "cross_attention", "mlp"]


@dataclass(frozen=True)
class Blocks:
    """The stack of transformer blocks; its outer blocks always run, and so do embeddings and head.

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
    blocks: tuple[int, ...] | None = None  # of each list of blocks, by number; None: all of them


Site = Literal["model"] | Blocks | Modules
SiteName = Literal["model", "blocks"]  # for policies that work at either
SITE_NAMES: tuple[SiteName, ...] = ("model", "blocks")


def resolve_site(name: SiteName) -> Site:
    """The site a knob names.

    Example:
        >>> resolve_site("blocks")
        Blocks(first=0, last=0)
    """
    return Blocks() if name == "blocks" else "model"


@dataclass(frozen=True)
class FilteredLatent:
    """The latent as SeaCache looks at it: low-passed by how clean it should be at its noise level."""

    exponent: float = 3.0  # of the power spectrum that a clean video is expected to have


# What a gate's changes are changes of. "input": of what the site is handed. "modulated": what enters the first block's
# attention. "time", "time_projection": the embedded timestep, and what the blocks are modulated with.
# "first_residual": what the blocks before the site have added.
TeaCacheSignal = Literal["modulated", "time", "time_projection"]
Signal = Literal["input", "first_residual"] | TeaCacheSignal | FilteredLatent
