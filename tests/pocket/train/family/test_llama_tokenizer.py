"""Llama's tokenizer in HunyuanVideo's template: what the pipeline cuts off is the template, to the token."""

import torch
from diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video import DEFAULT_PROMPT_TEMPLATE
from tests.pocket.train.family.small import HUNYUAN

from navicache_pocket.train.family import llama_tokenizer
from navicache_pocket.world import draw_scenes, list_vocabulary, write_captions
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS

TOKENIZER = llama_tokenizer.build_llama_tokenizer(list_vocabulary())


def test_what_is_left_after_the_cut_is_the_caption_and_the_end_of_the_turn():
    for caption in write_captions(draw_scenes(20, 0)):
        text = DEFAULT_PROMPT_TEMPLATE["template"].format(caption)
        left = TOKENIZER(text).input_ids[DEFAULT_PROMPT_TEMPLATE["crop_start"] :]
        words = TOKENIZER.convert_ids_to_tokens(left)
        assert words == [*caption.replace(",", " ,").split(), llama_tokenizer.END]


def test_words_that_are_not_of_the_world_are_one_token_each():
    ids = TOKENIZER(llama_tokenizer.fill_template(["a red dog rising"])[0]).input_ids[llama_tokenizer.CROPPED_TOKENS :]
    assert TOKENIZER.convert_ids_to_tokens(ids) == ["a", "red", llama_tokenizer.UNKNOWN, "rising", llama_tokenizer.END]


def test_no_caption_is_the_end_of_the_turn_alone():
    (ids,) = HUNYUAN.tokenize([""])
    long, short = ids[:-MAX_CAPTION_TOKENS], ids[-MAX_CAPTION_TOKENS:]
    assert long[llama_tokenizer.CROPPED_TOKENS :].tolist() == [
        llama_tokenizer.SPECIAL_TOKENS.index(llama_tokenizer.END)
    ] + [0] * (MAX_CAPTION_TOKENS - 1)
    assert short.tolist() == [1] + [0] * (MAX_CAPTION_TOKENS - 1)


def test_every_caption_fits():
    ids = HUNYUAN.tokenize(write_captions(draw_scenes(500, 1)))
    ends = ids[:, llama_tokenizer.CROPPED_TOKENS : -MAX_CAPTION_TOKENS] == llama_tokenizer.SPECIAL_TOKENS.index(
        llama_tokenizer.END
    )
    assert torch.equal(ends.sum(1), torch.ones(500, dtype=torch.long))
