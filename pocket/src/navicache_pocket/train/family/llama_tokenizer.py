"""A tokenizer for Llama in HunyuanVideo's default template, whose first tokens the pipeline cuts off again."""

from collections.abc import Sequence
from typing import Any

from diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video import DEFAULT_PROMPT_TEMPLATE
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

PAD, BEGIN, UNKNOWN, END = "<pad>", "<|begin_of_text|>", "<unk>", "<|eot_id|>"
HEADERS = ("<|start_header_id|>", "<|end_header_id|>")
SPECIAL_TOKENS = (PAD, BEGIN, UNKNOWN, END, *HEADERS)
TEMPLATE: str = DEFAULT_PROMPT_TEMPLATE["template"]
CROPPED_TOKENS: int = DEFAULT_PROMPT_TEMPLATE["crop_start"]


def build_llama_tokenizer(words: Sequence[str]) -> PreTrainedTokenizerFast:
    """One word, one token, Llama's marks too, and the template's own words all unknown.

    Llama's tokenizer makes 95 tokens of what stands before the caption and the pipeline cuts 95; this one makes fewer,
    so it begins with as many marks as are missing, and the first token that is left is the caption's first word.
    """
    ids = {word: index for index, word in enumerate((*SPECIAL_TOKENS, *words))}
    tokenizer: Any = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens([*SPECIAL_TOKENS])
    ahead = len(tokenizer.encode(TEMPLATE.partition("{}")[0]).ids)
    if ahead > CROPPED_TOKENS:
        raise ValueError(f"this template has {ahead} tokens before the caption and the pipeline cuts {CROPPED_TOKENS}")
    marks = [BEGIN] * (CROPPED_TOKENS - ahead)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=" ".join([*marks, "$A"]), special_tokens=[(BEGIN, ids[BEGIN])]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=BEGIN,
        eos_token=END,
        unk_token=UNKNOWN,
        model_max_length=CROPPED_TOKENS + 256,
    )


def fill_template(captions: Sequence[str]) -> list[str]:
    """Put each caption into the template.

    Example:
        >>> fill_template(["a red ball"])[0][-20:]
        'a red ball<|eot_id|>'
    """
    return [TEMPLATE.format(caption) for caption in captions]
