"""Llama's tokenizer in HunyuanVideo's template: what the pipeline cuts off is the template, to the token."""

import torch
from diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video import DEFAULT_PROMPT_TEMPLATE
from tests.pocket.train.family.small import HUNYUAN

from navicache_pocket.train.family import template
from navicache_pocket.world import captions, draw, vocabulary
from navicache_pocket.world.captions import LONGEST

TOKENIZER = template.build(vocabulary())


def test_what_is_left_after_the_cut_is_the_caption_and_the_end_of_the_turn():
    for caption in captions(draw(20, 0)):
        text = DEFAULT_PROMPT_TEMPLATE["template"].format(caption)
        left = TOKENIZER(text).input_ids[DEFAULT_PROMPT_TEMPLATE["crop_start"] :]
        words = TOKENIZER.convert_ids_to_tokens(left)
        assert words == [*caption.replace(",", " ,").split(), template.END]


def test_words_that_are_not_of_the_world_are_one_token_each():
    ids = TOKENIZER(template.filled(["a red dog rising"])[0]).input_ids[template.CROPPED :]
    assert TOKENIZER.convert_ids_to_tokens(ids) == ["a", "red", template.UNKNOWN, "rising", template.END]


def test_no_caption_is_the_end_of_the_turn_alone():
    (ids,) = HUNYUAN.tokens([""])
    long, short = ids[:-LONGEST], ids[-LONGEST:]
    assert long[template.CROPPED :].tolist() == [template.SPECIAL.index(template.END)] + [0] * (LONGEST - 1)
    assert short.tolist() == [1] + [0] * (LONGEST - 1)


def test_every_caption_fits():
    ids = HUNYUAN.tokens(captions(draw(500, 1)))
    ends = ids[:, template.CROPPED : -LONGEST] == template.SPECIAL.index(template.END)
    assert torch.equal(ends.sum(1), torch.ones(500, dtype=torch.long))
