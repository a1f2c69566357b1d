"""Outputs taken apart, and arguments picked row by row."""

import pytest
import torch

from navicache.engine import CannotCache
from navicache.engine.tensors.call_arguments import select_argument_rows
from navicache.engine.tensors.containers import unpack_output


@pytest.mark.parametrize("output", [None, "text", 3, (), {}])
def test_an_output_without_a_tensor_is_refused_with_advice(output):
    with pytest.raises(CannotCache, match=r"CallSpec\(output="):
        unpack_output(output, None, is_latent_list=False)


def test_every_argument_with_the_batch_first_follows_and_others_do_not():
    batch = torch.arange(12.0).reshape(3, 4)
    shared = torch.zeros(5, 3)
    value = {"a": [batch, shared], "b": (shared, batch), "c": 3, "d": None}
    chosen = select_argument_rows(value, 3, [0, 2], is_latent_list=False)
    assert torch.equal(chosen["a"][0], batch[[0, 2]])
    assert chosen["a"][1] is shared
    assert chosen["b"][0] is shared
    assert torch.equal(chosen["b"][1], batch[[0, 2]])
    assert chosen["c"] == 3


def test_lists_are_picked_from_where_the_latent_is_a_list():
    texts = [torch.zeros(7, 2), torch.zeros(9, 2), torch.ones(3, 2)]
    assert [t.shape[0] for t in select_argument_rows(texts, 3, [0, 2], is_latent_list=True)] == [7, 3]
    assert len(select_argument_rows(texts, 3, [0, 2], is_latent_list=False)) == 3
