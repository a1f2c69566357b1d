"""The tokenizer: one word, one token, T5's special tokens in T5's places."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from navicache_pocket.train import tokenizer as tokens
from navicache_pocket.world import draw_scenes, list_vocabulary, write_captions
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS

TOKENIZER = tokens.build_tokenizer(list_vocabulary())
PAD, END, UNKNOWN = 0, 1, 2


@given(st.integers(0, 2**31))
@settings(max_examples=10, deadline=None)
def test_captions_come_back_word_for_word(seed):
    written = write_captions(draw_scenes(16, seed))
    for caption, ids in zip(
        written, tokens.encode_captions(TOKENIZER, written, MAX_CAPTION_TOKENS).tolist(), strict=True
    ):
        length = ids.index(END)
        assert TOKENIZER.convert_ids_to_tokens(ids[:length]) == caption.replace(",", " ,").split()
        assert ids[length + 1 :] == [PAD] * (MAX_CAPTION_TOKENS - length - 1)
        assert UNKNOWN not in ids


def test_an_empty_prompt_is_one_end_token():
    assert TOKENIZER("").input_ids == [END]


def test_unknown_words_are_marked_one_by_one():
    ids = TOKENIZER("a red dog moving sideways").input_ids
    assert [index == UNKNOWN for index in ids] == [False, False, True, False, True, False]


def test_capital_letters_do_not_matter():
    assert TOKENIZER("A Red BALL").input_ids == TOKENIZER("a red ball").input_ids


def test_the_three_special_tokens_stand_first():
    assert TOKENIZER.convert_tokens_to_ids([tokens.PAD, tokens.END, tokens.UNKNOWN]) == [PAD, END, UNKNOWN]
    assert len(TOKENIZER) == 3 + len(list_vocabulary())


def test_what_is_too_long_is_cut():
    ids = tokens.encode_captions(TOKENIZER, ["a red ball " * 40], 8)
    assert ids.shape == (1, 8)
    assert ids[0, -1] == END
    assert torch.is_tensor(ids)
