"""The lists of blocks in a transformer: how they are found, and how calls of their blocks are intercepted."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch import nn

# Names under which transformers keep the blocks that work on the video; refiners and text blocks have others.
BLOCK_LIST_NAMES = (
    *("blocks", "transformer_blocks", "joint_transformer_blocks", "single_transformer_blocks"),
    *("temporal_transformer_blocks", "visual_transformer_blocks", "layers", "spatial_blocks", "temporal_blocks"),
    *("double_blocks", "single_blocks", "double_stream_blocks", "single_stream_blocks"),
)

BlockHandler = Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], Any]


def find_block_lists(model: nn.Module, names: Sequence[str] = ()) -> dict[str, nn.ModuleList]:
    """The main lists of blocks, by their names or as told.

    Example:
        >>> model = nn.Module()
        >>> model.blocks = nn.ModuleList([nn.Identity(), nn.Identity()])
        >>> [*find_block_lists(model)]
        ['blocks']
    """
    lists = {name: child for name, child in model.named_children() if isinstance(child, nn.ModuleList) and len(child)}
    found = {name: lists[name] for name in names or BLOCK_LIST_NAMES if name in lists}
    if not found or (names and len(found) < len(names)):
        have = ", ".join(f"{name} ({len(child)} x {type(child[0]).__name__})" for name, child in lists.items())
        raise ValueError(
            f"cannot find the transformer blocks of {type(model).__name__}: "
            f"looked for {', '.join(names or BLOCK_LIST_NAMES)}; "
            f"its lists of modules are: {have or 'none'}. Name them with enable(..., blocks=(...)), or use a policy at "
            "the site of the whole model"
        )
    return found


class InterceptedBlock:
    """A block whose call goes through the engine; in all else it is the block."""

    __slots__ = ("_block", "_handler")

    def __init__(self, block: nn.Module, handler: BlockHandler) -> None:
        """Nothing is changed in the block."""
        object.__setattr__(self, "_block", block)
        object.__setattr__(self, "_handler", handler)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute, predict or pass on."""
        return self._handler(self._block, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """As the block's own."""
        return getattr(self._block, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """As the block's own."""
        setattr(self._block, name, value)


class InterceptedBlockList(nn.ModuleList):
    """Stands in for a model's own list: the same blocks under the same names, but calls go through the engine.

    The blocks themselves are left alone, so that compiled, offloaded or sharded ones stay what they are.
    """

    def __init__(self, original: nn.ModuleList, get_handler: Callable[[], BlockHandler | None]) -> None:
        """Take a function that returns the current handler, or None between calls of the model."""
        super().__init__()
        self._modules = original._modules
        self.training = original.training
        self._get_handler = get_handler

    def __iter__(self) -> Iterator[Any]:
        """Blocks, or passages to them while the model runs."""
        through = self._get_handler()
        blocks = super().__iter__()
        return blocks if through is None else (InterceptedBlock(block, through) for block in blocks)

    def __getitem__(self, index: int | slice) -> Any:
        """One block or some of them, likewise."""
        through = self._get_handler()
        if isinstance(index, slice):
            return [*self][index]
        block = super().__getitem__(index)
        return block if through is None else InterceptedBlock(block, through)
