"""One kind of modules inside a model: found by name, decided together, kept each for itself."""

import pytest
import torch
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import moment, scheme
from torch import nn

from navicache.engine import ModelStructure, StorageOptions, find_modules
from navicache.engine.sites.module_group import ModuleGroup
from navicache.policies import Modules, OutputHold, PolynomialExtrapolation


def block(*names: str) -> nn.Module:
    made = nn.Module()
    for name in names:
        made.add_module(name, nn.Identity())
    return made


def anatomy(**lists) -> ModelStructure:
    return ModelStructure(nn.Module(), {name: nn.ModuleList(blocks) for name, blocks in lists.items()})


MODEL = anatomy(
    transformer_blocks=[block("attn1", "attn2", "ff"), block("attn1", "attn2", "ff")],
    temporal_transformer_blocks=[block("attn1", "ff")],
)


@pytest.mark.parametrize(
    ("site", "found"),
    [
        (Modules("self_attention"), ["transformer_blocks.0.attn1", "transformer_blocks.1.attn1"]),
        (Modules("cross_attention"), ["transformer_blocks.0.attn2", "transformer_blocks.1.attn2"]),
        (Modules("temporal_attention"), ["temporal_transformer_blocks.0.attn1"]),
        (Modules("mlp"), ["transformer_blocks.0.ff", "transformer_blocks.1.ff", "temporal_transformer_blocks.0.ff"]),
        (Modules("cross_attention", blocks=frozenset({1})), ["transformer_blocks.1.attn2"]),
    ],
    ids=["self", "cross", "temporal", "mlp", "some blocks"],
)
def test_modules_of_a_kind_by_name(site, found):
    assert [*find_modules(MODEL, site)] == found


def part(steps=(0, 1), streams="lead", predictor=None):
    of = scheme(Every("call", streams, frozenset(), steps), predictor or OutputHold())
    return ModuleGroup(of, "mlp", {}, StorageOptions())


def decided(made, index, *streams):
    for place, stream in enumerate(streams):
        made.decide_step(moment(index), stream, is_leading=place == 0, elements=1)


def test_what_a_module_returned_is_returned_again():
    made = part(steps=(0,))
    decided(made, 0, "cond")
    assert made.predict_output("cond", "ff") is None, "it is to be computed"
    made.store_result("cond", "ff", torch.full((1, 2), 7.0), 0)
    decided(made, 1, "cond")
    assert made.predict_output("cond", "ff").tolist() == [[7, 7]]
    assert made.predict_output("cond", "other") is None, "nothing is kept of it"
    assert made.predict_output("uncond", "ff") is None, "nor of another stream"


def test_every_tensor_of_a_tuple_is_carried_on():
    made = part(predictor=PolynomialExtrapolation(1))
    for index in (0, 1):
        decided(made, index, "cond")
        made.store_result("cond", "attn1", (torch.full((1, 2), 1.0 + index), torch.full((1, 2), 10.0 * index)), index)
    decided(made, 3, "cond")
    hidden, text = made.predict_output("cond", "attn1")
    assert (hidden[0, 0].item(), text[0, 0].item()) == (4, 30)


def test_a_module_that_missed_the_last_compute_is_computed():
    made = part(steps=(0, 2))
    for index in (0, 1, 2):
        decided(made, index, "cond")
        if index == 0:
            made.store_result("cond", "ff", torch.ones(1, 2), 0)
    decided(made, 3, "cond")
    assert not made.decision.compute
    assert made.predict_output("cond", "ff") is None


def test_followers_take_the_leaders_verdict_unless_each_decides():
    leading, each = part(steps=(0,)), part(steps=(0,), streams="each")
    for made in (leading, each):
        decided(made, 0, "cond", "uncond")
    assert (len(leading.deciders.by_stream), len(each.deciders.by_stream)) == (1, 2)


def test_dropped_it_starts_from_nothing():
    made = part(steps=(0,))
    decided(made, 0, "cond")
    made.store_result("cond", "ff", torch.ones(1, 2), 0)
    made.reset_run()
    assert (made.caches, made.deciders.by_stream) == ({}, {})
