"""What is refused says why, and leaves everything usable."""

from dataclasses import dataclass

import pytest
import torch
from tests.engine.toys.engines import Custom, Doubler, ramp
from tests.engine.toys.gates import Every

import navicache
from navicache.engine import CannotCache
from navicache.policies import OutputHold


def test_a_gate_that_raises_leaves_the_handle_usable():
    @dataclass(frozen=True)
    class Broken(Every):
        reads: frozenset = frozenset({"since_seen"})

        def learn(self, state, outcome):
            raise RuntimeError("broken gate")

    cache = navicache.enable(Doubler(), Custom(Broken(), OutputHold()), steps=20)
    model = cache._attachments[""]._module
    with pytest.raises(RuntimeError, match="broken gate"):
        for i, x in enumerate(ramp(4)):
            model(x, 9.0 - i)
    assert "custom on Doubler" in cache.summary()
    cache.disable()
    assert torch.equal(model(torch.ones(1, 4), 1.0), torch.full((1, 4), 2.0))


def test_tokens_have_no_distances():
    model = Doubler()
    cache = navicache.enable(model, steps=20)
    with pytest.raises(CannotCache, match=r'given whole numbers \(torch.int64\).*site="blocks"'):
        for step in range(6):
            model(torch.full((1, 4), step), 20.0 - step)
    cache.disable()
    assert model(torch.full((1, 4), 3), 1.0).tolist() == [[6, 6, 6, 6]]


@pytest.mark.parametrize(
    "wrong", [{"steps": 3.5}, {"keep_dtype": "bfloat16"}, {"align_steps": 2.5}, {"longest_reuse": 1.5}]
)
def test_numbers_of_the_wrong_kind_are_refused(wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        navicache.enable(Doubler(), **wrong)


@pytest.mark.parametrize("target", [5, None, len])
def test_disable_says_what_it_takes(target):
    with pytest.raises(TypeError, match="pass a pipeline, a module or the handle"):
        navicache.disable(target)
