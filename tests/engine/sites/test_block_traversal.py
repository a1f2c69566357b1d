"""One call of a model, from its first block to its last."""

import torch
from tests.engine.toys.calls import NOBODY, called
from torch import nn

from navicache.engine.sites.block_traversal import BlockTraversal


def visit() -> BlockTraversal:
    return BlockTraversal(called(), NOBODY)


def test_blocks_are_counted_and_the_first_ones_tokens_are_kept():
    made, tokens = visit(), [torch.ones(1, 3, 2), torch.zeros(1, 3, 2)]
    assert made.block_index == -1
    assert [made.advance_block(each) for each in tokens] == [0, 1]
    assert made.first_input is tokens[0]


def test_the_first_block_of_the_site_leads():
    made, block, others = visit(), nn.Identity(), {"context": torch.ones(1, 5, 2)}
    made.set_site_call(block, (1,), {"a": 2}, others)
    assert made.site_call == (block, (1,), {"a": 2})
    assert made.site_others is others


def test_a_signal_is_heard_by_its_kind_the_newest_counts():
    made, old, new = visit(), torch.zeros(1), torch.ones(1)
    made.capture_signal("time", old)
    made.capture_signal("time", new)
    assert made.signals == {"time": new}
    assert visit().signals == {}, "another visit has heard nothing"


def test_what_comes_out_is_what_the_newest_block_made():
    made, first, second = visit(), torch.zeros(1), torch.ones(1)
    made.set_output(first)
    made.set_output(second)
    made.set_prediction(first, {"context": second})
    assert made.last_output is second
    assert made.prediction is first
    assert made.predicted_others == {"context": second}
    assert made.work is None
