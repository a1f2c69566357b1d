"""Tokenize and encode prompts with the T5 text encoder."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor


class TextEmbeds(NamedTuple):
    """Hidden states (batch, tokens, channels) and a mask (batch, tokens) that is 1 at real tokens."""

    embeds: Tensor
    mask: Tensor

    def trim_padding(self) -> "TextEmbeds":
        """Remove the columns that are padding in every row, which attention would ignore."""
        length = int(self.mask.ne(0).any(0).nonzero().max()) + 1
        return TextEmbeds(self.embeds[:, :length], self.mask[:, :length])

    def repeat_each(self, times: int) -> "TextEmbeds":
        """Repeat every row, copies next to each other."""
        return TextEmbeds(self.embeds.repeat_interleave(times, 0), self.mask.repeat_interleave(times, 0))


def tokenize_prompts(tokenizer: Any, prompts: Sequence[str], max_tokens: int) -> dict[str, Tensor]:
    """Token ids and mask, padded to `max_tokens`; a longer prompt is an error and is not truncated."""
    for prompt in prompts:
        length = len(tokenizer(prompt, truncation=False, verbose=False).input_ids)
        if length > max_tokens:
            raise ValueError(
                f"a prompt has {length} tokens and the model takes {max_tokens}: shorten {prompt[:60]!r}..."
            )
    tokens = tokenizer(
        list(prompts),
        max_length=max_tokens,
        padding="max_length",
        truncation=True,
        add_special_tokens=True,
        return_attention_mask=True,
        return_tensors="pt",
    )
    return {"input_ids": tokens.input_ids, "attention_mask": tokens.attention_mask}


def encode_tokens(text_encoder: Any, tokens: dict[str, Tensor], device: torch.device) -> TextEmbeds:
    """The last hidden states of the encoder, in its own dtype."""
    moved = {name: value.to(device) for name, value in tokens.items()}
    return TextEmbeds(text_encoder(**moved, return_dict=True).last_hidden_state, moved["attention_mask"])


def check_prompt_embeds(embeds: Tensor, mask: Tensor | None, max_tokens: int, channels: int) -> TextEmbeds:
    """Check embeddings given by the caller; without a mask all tokens are real."""
    if embeds.dim() != 3 or embeds.shape[2] != channels or embeds.shape[1] > max_tokens:
        raise ValueError(
            f"prompt_embeds must be (batch, up to {max_tokens} tokens, {channels} channels), got {tuple(embeds.shape)}"
        )
    if not embeds.is_floating_point():
        raise TypeError(
            f"prompt_embeds must hold floats, got {embeds.dtype}: pass the hidden states of the text encoder"
        )
    mask = torch.ones(embeds.shape[:2], dtype=torch.long, device=embeds.device) if mask is None else mask
    if mask.shape != embeds.shape[:2]:
        raise ValueError(f"prompt_attention_mask must be {tuple(embeds.shape[:2])}, got {tuple(mask.shape)}")
    if not bool(mask.ne(0).any(1).all()):
        raise ValueError(
            "every row of prompt_attention_mask needs a real token: an empty prompt still has an end token"
        )
    return TextEmbeds(embeds, mask)
