"""What a block is called with and what it returns: the video's tokens, and those of text and sound beside them."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.errors import CannotCache

HIDDEN_NAMES = ("hidden_states", "x", "visual_embed", "gen_seq")
TEXT_NAMES = ("encoder_hidden_states", "context", "und_seq")
SOUND_NAME = "audio_hidden_states"

OtherTokens = Mapping[str, Tensor]  # the text's and the sound's, by the names of a block's arguments


@dataclass(frozen=True)
class BlockSignature:
    """Where the tokens are among a block's arguments and in what it returns."""

    argument_names: tuple[str, ...]  # of the positional arguments
    hidden_name: str
    other_names: tuple[str, ...]
    result_positions: Mapping[str, int] | None = None  # places by name; empty for a bare tensor
    result_length: int = 0  # entries of the returned tuple, 0 for a bare tensor

    @classmethod
    def from_block(cls, block: nn.Module) -> "BlockSignature":
        """Read the names from the signature; the positions in the result are found at the first call."""
        names = tuple(inspect.signature(type(block).forward).parameters)[1:]
        hidden = next((name for name in HIDDEN_NAMES if name in names), names[0])
        text = next((name for name in TEXT_NAMES if name in names), None)
        return cls(names, hidden, tuple(name for name in (SOUND_NAME, text) if name in names))

    def read_tokens(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Tensor, OtherTokens]:
        """The video's tokens, and those beside them that the block takes."""
        given = {**dict(zip(self.argument_names, args, strict=False)), **kwargs}
        others = {name: given[name] for name in self.other_names if isinstance(given.get(name), Tensor)}
        return given[self.hidden_name], others

    def with_result_positions(
        self, result: Any, hidden: Tensor, others: OtherTokens, known_positions: tuple[int, int] | None
    ) -> "BlockSignature":
        """The same with the places in the result, found by shape; `known` settles what shapes cannot."""
        if isinstance(result, Tensor):
            return replace(self, result_positions={})
        entries = result if isinstance(result, tuple | list) else ()
        shapes = {i: value.shape for i, value in enumerate(entries) if isinstance(value, Tensor)}
        first = [i for i, shape in shapes.items() if shape == hidden.shape]
        if len(first) > 1 and known_positions is not None:
            first = [known_positions[0]]
        if len(first) != 1:
            raise CannotCache(
                "cannot tell which of a block's results are the video's tokens: use a policy at the site of the whole "
                f"model instead (returned: {type(result).__name__} of {len(entries)})"
            )
        positions = {self.hidden_name: first[0]}
        for name, tokens in others.items():
            free = [i for i, shape in shapes.items() if shape == tokens.shape and i not in positions.values()]
            positions |= {name: free[0]} if free else {}
        if len(shapes) > len(positions):
            raise CannotCache(
                f"blocks return {len(shapes) - len(positions)} more tensors than the tokens of video, text and sound, "
                "and nothing is known of how to predict those: use a policy at the site of the whole model instead"
            )
        return replace(self, result_positions=positions, result_length=len(entries))

    def split_result(self, result: Any) -> tuple[Tensor, OtherTokens]:
        """The tokens in what a block returned; the last block of some models returns no text."""
        if not self.result_positions:
            return result, {}
        found = {name: result[place] for name, place in self.result_positions.items() if result[place] is not None}
        return found.pop(self.hidden_name), found

    def pack_result(self, hidden: Tensor, others: OtherTokens) -> Any:
        """All tokens as the block would return them."""
        if not self.result_positions:
            return hidden
        names = {place: name for name, place in self.result_positions.items()}
        tokens = {**others, self.hidden_name: hidden}
        return tuple(tokens.get(names.get(place, "")) for place in range(self.result_length))


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
