"""diffusers' layerwise casting under the cache: weights lie in 8 bits, and every call casts them up."""

import pytest
import torch
from tests.integrations.common import REUSING, STEPS
from tests.tiny.wan import WAN

import navicache

STORED = torch.float8_e4m3fn


def cast(pipe):
    pipe.transformer.enable_layerwise_casting(storage_dtype=STORED, compute_dtype=torch.float32)


def build():
    pipe = WAN.build()
    cast(pipe)
    return pipe


def run(pipe):
    return WAN.call(pipe, steps=STEPS)


@pytest.fixture(scope="module")
def plain():
    """Without a cache: 8 bits, and as they were."""
    return run(build()), run(WAN.build())


def test_off_is_bit_equal(plain):
    pipe = build()
    assert not torch.equal(*plain)
    with navicache.enable(pipe, speedup=1):
        assert torch.equal(run(pipe), plain[0])
    assert torch.equal(run(pipe), plain[0])
    assert any(weight.dtype is STORED for weight in pipe.transformer.parameters()), "the cache casts nothing"


def test_before_or_after_enable_it_is_the_same(plain):
    before, after = build(), WAN.build()
    with navicache.enable(before, **REUSING) as cache:
        expected = run(before)
        assert cache.trace.runs[-1].computed < STEPS
    with navicache.enable(after, **REUSING):
        cast(after)
        assert torch.equal(run(after), expected)
    assert torch.equal(run(after), plain[0])
