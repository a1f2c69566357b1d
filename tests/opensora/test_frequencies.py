"""The frequencies of the timestep embedding."""

from __future__ import annotations

import math

import torch
from tests.opensora.common import tiny_transformer

from navicache_opensora.frequencies import compute_frequencies


def test_rates_are_exp_to_the_last_bit_but_one_and_survive_a_cast() -> None:
    arguments = -math.log(10000) * torch.arange(128, dtype=torch.float32) / 128
    exact = arguments.double().exp()
    assert ((compute_frequencies(128) - exact).abs() / exact).max() < 2**-23
    cast = tiny_transformer().to(torch.bfloat16)
    assert torch.equal(cast.t_embedder.frequencies.view(torch.float32), compute_frequencies(128))
