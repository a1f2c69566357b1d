"""Tiny text and image encoders of transformers, and tokenizers of a few words, by the class a pipeline asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import transformers
from tests.tiny.common import component
from tests.tiny.zoo.parts import VISION, image_processor
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WIDTH = 16
WORDS = ("<pad>", "<bos>", "<eos>", "<unk>", "a", "cat", "blurry", ",", "low", "quality")
SIZES = {"hidden_size": WIDTH, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
T5 = {"d_model": WIDTH, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "vocab_size": 32}
CLIP = {**SIZES, "projection_dim": 8, "vocab_size": 32, "max_position_embeddings": 77, "eos_token_id": 2}
LANGUAGE = {**SIZES, "vocab_size": 64, "num_key_value_heads": 1, "max_position_embeddings": 512}

ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {  # class -> class of its configuration, and sizes
    "CLIPTextModel": ("CLIPTextConfig", CLIP),
    "CLIPTextModelWithProjection": ("CLIPTextConfig", CLIP),
    "T5EncoderModel": ("T5Config", T5),
    "UMT5EncoderModel": ("UMT5Config", T5),
    "BertModel": ("BertConfig", {**SIZES, "vocab_size": 64}),
    "Qwen3Model": ("Qwen3Config", LANGUAGE),
    "Qwen3ForCausalLM": ("Qwen3Config", LANGUAGE),
    "SmolLM3ForCausalLM": ("SmolLM3Config", {**LANGUAGE, "pad_token_id": 0}),
    "LlamaModel": ("LlamaConfig", LANGUAGE),
    "LlamaForCausalLM": ("LlamaConfig", LANGUAGE),
}


def tokenizer() -> Any:
    """A tokenizer of a few words."""
    words = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = Whitespace()
    words.post_processor = TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[(word, WORDS.index(word)) for word in ("<bos>", "<eos>")]
    )
    special = {"pad_token": "<pad>", "bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "<unk>"}
    chat = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=words, model_max_length=77, **special)
    made.chat_template = chat
    return made


def vision(kind: str, **changes: Any) -> Any:
    """A tiny image encoder."""
    config = transformers.CLIPVisionConfig(**{**VISION.to_dict(), "projection_dim": 16, **changes})
    return component(lambda: getattr(transformers, kind)(config), seed=8)


def build_encoder(kind: str, seed: int, **changes: Any) -> Any:
    """An encoder of transformers with seeded weights."""
    config, sizes = ENCODERS[kind]
    settings = getattr(transformers, config)(**{**sizes, **changes})
    return component(lambda: getattr(transformers, kind)(settings), seed=seed)


def projecting() -> Any:
    """A text encoder whose pooled output is as wide as its tokens."""
    return build_encoder("CLIPTextModelWithProjection", seed=6, projection_dim=16)


def seeing(**changes: Any) -> Any:
    """An image encoder whose output is as wide as those tokens."""
    return vision("CLIPVisionModelWithProjection", **changes)


def build_text_part(name: str, kinds: tuple[type, ...]) -> Any:
    """An encoder, a tokenizer or an image processor; None for what is not known."""
    for kind in kinds:
        if kind.__name__ in ENCODERS:
            return build_encoder(kind.__name__, seed=len(name))
        if kind.__name__.startswith("CLIPVisionModel"):
            return vision(kind.__name__)
    makers: dict[str, Callable[[], Any]] = {"tokenizer": tokenizer, "feature_extractor": image_processor}
    makers |= {"image_processor": image_processor}
    return next((make() for start, make in makers.items() if name.startswith(start)), None)
