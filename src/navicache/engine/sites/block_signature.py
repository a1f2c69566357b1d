"""What a block is called with and what it returns: one tensor of tokens, or the video's and the text's."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.errors import CannotCache

HIDDEN_NAMES = ("hidden_states", "x", "visual_embed", "gen_seq")
TEXT_NAMES = ("encoder_hidden_states", "context", "und_seq")


@dataclass(frozen=True)
class BlockSignature:
    """Where the tokens are among a block's arguments and in what it returns."""

    argument_names: tuple[str, ...]  # of the positional arguments
    hidden_name: str
    text_name: str | None
    result_positions: tuple[int | None, int | None] | None = None  # places of hidden and text; None for a bare tensor
    result_length: int = 0  # entries of the returned tuple, 0 for a bare tensor

    @classmethod
    def from_block(cls, block: nn.Module) -> "BlockSignature":
        """Read the names from the signature; the positions in the result are found at the first call."""
        names = tuple(inspect.signature(type(block).forward).parameters)[1:]
        hidden = next((name for name in HIDDEN_NAMES if name in names), names[0])
        return cls(names, hidden, next((name for name in TEXT_NAMES if name in names), None))

    def read_tokens(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Tensor, Tensor | None]:
        """The video's tokens and the text's, where the block takes both."""
        given = {**dict(zip(self.argument_names, args, strict=False)), **kwargs}
        text = given.get(self.text_name) if self.text_name else None
        return given[self.hidden_name], text if isinstance(text, Tensor) else None

    def with_result_positions(
        self, result: Any, hidden: Tensor, text: Tensor | None, known_positions: tuple[int, int] | None
    ) -> "BlockSignature":
        """The same with the places in the result, found by shape; `known` settles what shapes cannot."""
        if isinstance(result, Tensor):
            return replace(self, result_positions=(None, None))
        tensors = dict(enumerate(result)) if isinstance(result, tuple | list) else {}
        first = [i for i, value in tensors.items() if isinstance(value, Tensor) and value.shape == hidden.shape]
        if len(first) > 1 and known_positions is not None:
            first = [known_positions[0]]
        if len(first) != 1:
            raise CannotCache(
                "cannot tell which of a block's results are the video's tokens: use a policy at the site of the whole "
                f"model instead (returned: {type(result).__name__} of {len(tensors)})"
            )
        others = [
            i
            for i, value in tensors.items()
            if i != first[0] and text is not None and isinstance(value, Tensor) and value.shape == text.shape
        ]
        lost = [i for i, value in tensors.items() if isinstance(value, Tensor) and i not in (first[0], *others[:1])]
        if lost:
            raise CannotCache(
                f"blocks return {len(lost)} more tensors than the video's tokens and the text's (sound, perhaps), and "
                "nothing is known of how to predict those: use a policy at the site of the whole model instead"
            )
        return replace(self, result_positions=(first[0], others[0] if others else None), result_length=len(tensors))

    def split_result(self, result: Any) -> tuple[Tensor, Tensor | None]:
        """The tokens in what a block returned."""
        hidden, text = self.result_positions or (None, None)
        return (result if hidden is None else result[hidden]), None if text is None else result[text]

    def pack_result(self, hidden: Tensor, text: Tensor | None) -> Any:
        """Tokens as the block would return them."""
        at, text_at = self.result_positions or (None, None)
        if at is None:
            return hidden
        entries: list[Tensor | None] = [None] * self.result_length
        entries[at] = hidden
        if text_at is not None:
            entries[text_at] = text
        return tuple(entries)


def check_same_token_shape(before: Tensor, after: Tensor) -> None:
    """Refuse blocks that change the shape of their tokens: no residual can be computed."""
    if before.shape != after.shape:
        raise CannotCache(
            f"the blocks lay their tokens out anew, from {tuple(before.shape)} to {tuple(after.shape)}, so what they "
            "add cannot be told: leave fewer first blocks out, or use a policy at the site of the whole model"
        )


def check_tokens_unmodified(before: Tensor, after: Tensor) -> None:
    """Refuse a block whose input is not the output of the block before."""
    if before.shape == after.shape and before.data_ptr() != after.data_ptr() and not torch.equal(before, after):
        raise CannotCache(
            "something is added between the blocks (control signals are, for instance), which a reuse would leave "
            "out: use a policy at the site of the whole model"
        )
