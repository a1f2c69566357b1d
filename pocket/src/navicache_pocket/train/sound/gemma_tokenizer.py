"""A tokenizer in Gemma's manner: one word, one token, a mark at the beginning, padding on the left."""

from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

SPECIAL_TOKENS = ("<pad>", "<eos>", "<bos>", "<unk>")  # at Gemma's ids


def build_gemma_tokenizer(words: Sequence[str], max_length: int = 1024) -> PreTrainedTokenizerFast:
    """The tokenizer over these words."""
    ids = {word: index for index, word in enumerate((*SPECIAL_TOKENS, *words))}
    tokenizer: Any = Tokenizer(models.WordLevel(ids, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", special_tokens=[("<bos>", ids["<bos>"])]
    )
    marks = {f"{token[1:-1]}_token": token for token in SPECIAL_TOKENS}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **marks, padding_side="left", model_max_length=max_length
    )


def encode_captions(tokenizer: PreTrainedTokenizerFast, captions: Sequence[str], length: int) -> torch.Tensor:
    """Token ids (captions, length), padded on the left as LTX2Pipeline pads them.

    Example:
        >>> encode_captions(build_gemma_tokenizer(["a", "ball"]), ["a ball", ""], 4)
        tensor([[0, 2, 4, 5],
                [0, 0, 0, 2]])
    """
    options = {"padding": "max_length", "max_length": length, "truncation": True, "return_tensors": "pt"}
    return tokenizer([*captions], **options).input_ids
