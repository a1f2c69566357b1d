"""Whatever a model returns comes back in the same container."""

from dataclasses import dataclass
from typing import NamedTuple

import pytest
import torch
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from tests.engine.toys import engine_for, ramp

from navicache.engine import CannotCache
from navicache.engine.tensors.containers import unpack
from navicache.engine.tensors.fit import Fit, fit
from navicache.models import CallSpec
from navicache.policies import NaviCache, Static


@dataclass
class Plain:
    note: str
    sample: torch.Tensor


class Named(NamedTuple):
    sample: torch.Tensor
    extra: int


SHAPES = {
    "tensor": (lambda y: y, lambda out: out),
    "tuple": (lambda y: (y, "aux"), lambda out: out[0]),
    "list": (lambda y: [y, y + 100], lambda out: out[0]),
    "named tuple": (lambda y: Named(y, 7), lambda out: out.sample),
    "dict": (lambda y: {"note": "hello", "x": y}, lambda out: out["x"]),
    "dataclass": (lambda y: Plain("hello", y), lambda out: out.sample),
    "diffusers": (lambda y: Transformer2DModelOutput(sample=y), lambda out: out.sample),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_predicted_output_has_the_container_of_the_computed_one(name):
    wrap, inside = SHAPES[name]
    cached = engine_for(lambda x, t: wrap(2 * x), Static(interval=2, last_step=False))
    outputs = [cached(x, 10.0 - i) for i, x in enumerate(ramp(4))]
    computed, predicted = outputs[0], outputs[1]
    assert type(predicted) is type(computed)
    assert inside(predicted)[0, 0].item() == 3 + 4  # x + (y_j - x_j) = 3 + (8 - 4)
    if name == "tuple":
        assert predicted[1] == "aux"
    if name == "named tuple":
        assert predicted.extra == 7


def test_a_list_of_tensors_is_a_batch_where_the_latent_is_one():
    def model(x, t, cap_feats):
        return ([2 * row for row in x],)

    cached = engine_for(model, Static(interval=2, last_step=False))
    for i, x in enumerate(ramp(4, rows=3)):
        sizes = [x[0], x[1].repeat(2), x[2]]  # rows of different size
        (output,) = cached(sizes, torch.full((3,), 4.0 - i), [torch.zeros(n, 2) for n in (3, 4, 5)])
        assert [row.shape for row in output] == [row.shape for row in sizes]
        expected = 2 * (4 - i) if i % 2 == 0 else (4 - i) + (5 - i)
        assert all((row == expected).all() for row in output)


def test_the_prediction_can_be_anywhere_if_one_says_where():
    cached = engine_for(
        lambda x, t: {"noise": torch.zeros(9), "velocity": 2 * x},
        Static(interval=2, last_step=False),
        call=CallSpec(output="velocity"),
    )
    outputs = [cached(x, 10.0 - i) for i, x in enumerate(ramp(2))]
    assert outputs[1]["velocity"][0, 0].item() == 3


@pytest.mark.parametrize("output", [None, "text", 3, (), {}])
def test_an_output_without_a_tensor_is_refused_with_advice(output):
    with pytest.raises(CannotCache, match=r"CallSpec\(output="):
        unpack(output, None, listed=False)


def test_condition_channels_of_the_input_are_no_part_of_the_latent():
    policy = NaviCache(threshold=1e9, align_steps=2, last_step=False)
    cached = engine_for(lambda x, t: 2 * x[:, :2], policy)
    for i, x in enumerate(ramp(6, width=3)):
        condition = torch.full((1, 2, 3), 1000.0 * (-1) ** i)  # changes wildly, and must not be measured
        both = torch.cat([x[:, None].expand(1, 2, 3), condition], 1)
        output = cached(both, 6.0 - i)
        assert output.shape == (1, 2, 3)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps() == (0, 1)
    assert record.column("input_change")[2:] == (1.0,) * 4
    assert output[0, 0, 0].item() == 1 + 5  # x_5 = 1, held residual 5


def test_output_channels_beyond_the_latent_are_held():
    def model(x, t):
        return torch.cat([2 * x, x * 10], 1)

    cached = engine_for(model, Static(interval=2, last_step=False))
    latents = [torch.full((1, 2, 3), 4.0 - i) for i in range(2)]
    cached(latents[0], 2.0)
    output = cached(latents[1], 1.0)
    assert output.shape == (1, 4, 3)
    assert (output[:, :2] == 3 + 4).all()
    assert (output[:, 2:] == 40).all()


def test_what_does_not_fit_is_refused():
    with pytest.raises(CannotCache, match="means nothing"):
        fit((torch.zeros(1, 4, 8),), (torch.zeros(1, 5, 9),))
    with pytest.raises(CannotCache, match="means nothing"):
        fit((torch.zeros(1, 4, 8),), (torch.zeros(1, 4),))
    assert fit((torch.zeros(1, 4, 8),), (torch.zeros(1, 4, 8),)) == Fit()
    assert fit((torch.zeros(1, 36, 8),), (torch.zeros(1, 16, 8),)) == Fit(1, 16)


def test_an_output_hold_does_not_mind_another_shape():
    policy = NaviCache(threshold=1e9, align_steps=2, hold="output", last_step=False)
    cached = engine_for(lambda x, t: x.sum(1, keepdim=True).expand(-1, 2), policy)
    outputs = [cached(x, 4.0 - i) for i, x in enumerate(ramp(4))]
    assert [o[0, 0].item() for o in outputs] == [16, 12, 12, 12]
