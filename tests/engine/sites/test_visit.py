"""One call of a model, from its first block to its last."""

import torch
from tests.engine.toys.calls import NOBODY, called
from torch import nn

from navicache.engine.sites.visit import Visit


def visit() -> Visit:
    return Visit(called(), NOBODY)


def test_blocks_are_counted_and_the_first_ones_tokens_are_kept():
    made, tokens = visit(), [torch.ones(1, 3, 2), torch.zeros(1, 3, 2)]
    assert made.place == -1
    assert [made.go_on(each) for each in tokens] == [0, 1]
    assert made.begun is tokens[0]


def test_the_first_block_of_the_site_leads():
    made, block, text = visit(), nn.Identity(), torch.ones(1, 5, 2)
    made.arrive(block, (1,), {"a": 2}, text)
    assert made.leader == (block, (1,), {"a": 2})
    assert made.text is text


def test_a_signal_is_heard_by_its_kind_the_newest_counts():
    made, old, new = visit(), torch.zeros(1), torch.ones(1)
    made.hear("time", old)
    made.hear("time", new)
    assert made.captured == {"time": new}
    assert visit().captured == {}, "another visit has heard nothing"


def test_what_comes_out_is_what_the_newest_block_made():
    made, first, second = visit(), torch.zeros(1), torch.ones(1)
    made.came_out(first)
    made.came_out(second)
    made.predict(first)
    assert made.after is second
    assert made.predicted is first
    assert made.work is None
