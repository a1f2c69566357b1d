"""Whatever a model returns comes back in the same container."""

from dataclasses import dataclass
from typing import NamedTuple

import pytest
import torch
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from tests.engine.toys.engines import engine_for, ramp

from navicache.models import CallSpec
from navicache.policies import Static


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
