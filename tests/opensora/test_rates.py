"""The rates of the waves that times and places are told in."""

from __future__ import annotations

import math

import torch
from tests.opensora.common import tiny_transformer

from navicache_opensora.rates import wave_rates


def test_rates_are_exp_to_the_last_bit_but_one_and_survive_a_cast() -> None:
    arguments = -math.log(10000) * torch.arange(128, dtype=torch.float32) / 128
    exact = arguments.double().exp()
    assert ((wave_rates(128) - exact).abs() / exact).max() < 2**-23
    cast = tiny_transformer().to(torch.bfloat16)
    assert torch.equal(cast.t_embedder.rates.view(torch.float32), wave_rates(128))
