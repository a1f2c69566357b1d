"""Prompts to the states of the text encoder."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Text(NamedTuple):
    """States (batch, tokens, channels) and a mask (batch, tokens) that is 1 at real tokens."""

    embeds: Tensor
    mask: Tensor

    def trimmed(self) -> "Text":
        """Without the columns that are padding in every row: attention never sees them."""
        length = int(self.mask.ne(0).any(0).nonzero().max()) + 1
        return Text(self.embeds[:, :length], self.mask[:, :length])

    def repeated(self, times: int) -> "Text":
        """Every row `times` times in a row."""
        return Text(self.embeds.repeat_interleave(times, 0), self.mask.repeat_interleave(times, 0))


def tokenise(tokenizer: Any, prompts: Sequence[str], limit: int) -> dict[str, Tensor]:
    """Ids and mask, filled up to the limit; a prompt that does not fit is an error, not cut."""
    for prompt in prompts:
        length = len(tokenizer(prompt, truncation=False, verbose=False).input_ids)
        if length > limit:
            raise ValueError(f"a prompt has {length} tokens and the model takes {limit}: shorten {prompt[:60]!r}...")
    found = tokenizer(
        list(prompts),
        max_length=limit,
        padding="max_length",
        truncation=True,
        add_special_tokens=True,
        return_attention_mask=True,
        return_tensors="pt",
    )
    return {"input_ids": found.input_ids, "attention_mask": found.attention_mask}


def encode(text_encoder: Any, tokens: dict[str, Tensor], device: torch.device) -> Text:
    """The last states of the encoder, in the dtype it runs in."""
    moved = {name: value.to(device) for name, value in tokens.items()}
    return Text(text_encoder(**moved, return_dict=True).last_hidden_state, moved["attention_mask"])


def check_embeds(embeds: Tensor, mask: Tensor | None, limit: int, channels: int) -> Text:
    """Text that was encoded elsewhere; without a mask all its tokens are real."""
    if embeds.dim() != 3 or embeds.shape[2] != channels or embeds.shape[1] > limit:
        raise ValueError(
            f"prompt_embeds must be (batch, up to {limit} tokens, {channels} channels), got {tuple(embeds.shape)}"
        )
    if not embeds.is_floating_point():
        raise TypeError(f"prompt_embeds must hold floats, got {embeds.dtype}: pass the states of the text encoder")
    mask = torch.ones(embeds.shape[:2], dtype=torch.long, device=embeds.device) if mask is None else mask
    if mask.shape != embeds.shape[:2]:
        raise ValueError(f"prompt_attention_mask must be {tuple(embeds.shape[:2])}, got {tuple(mask.shape)}")
    if not bool(mask.ne(0).any(1).all()):
        raise ValueError("every row of prompt_attention_mask needs a real token: an empty prompt still has its end")
    return Text(embeds, mask)
