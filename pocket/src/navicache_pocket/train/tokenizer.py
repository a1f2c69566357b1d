"""A tokenizer made from the caption grammar: one word, one token."""

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"


def build_tokenizer(words: Sequence[str], max_length: int = 512) -> PreTrainedTokenizerFast:
    """The tokenizer over these words, with T5's three special tokens at T5's ids; CLIP accepts it too."""
    ids = {word: index for index, word in enumerate((PAD, END, UNKNOWN, *words))}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.post_processor = processors.TemplateProcessing(  # pyright: ignore[reportAttributeAccessIssue]
        single=f"$A {END}", special_tokens=[(END, ids[END])]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, unk_token=UNKNOWN, model_max_length=max_length
    )


def encode_captions(tokenizer: PreTrainedTokenizerFast, captions: Sequence[str], max_length: int) -> torch.Tensor:
    """Token ids (captions, length), padded with zeros."""
    options = {"padding": "max_length", "max_length": max_length, "truncation": True, "return_tensors": "pt"}
    return tokenizer(list(captions), **options).input_ids
