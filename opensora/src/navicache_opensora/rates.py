"""The rates of the timestep embedding, the same to the last bit on every machine.

At timestep 1000 the last bit of a rate turns a wave by 1e-4, which is seen in the fifth digit of the output. Libraries
differ in that bit, so the rates are not left to the machine's `exp`.
"""

import math

import torch
from torch import Tensor

# exp as SLEEF computes it in float32, which is what torch uses where no vendor's library is at hand.
PER_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693145751953125, 1.428606765330187e-06
POLYNOMIAL = (0.00019852762, 0.0013930436, 0.008333361, 0.041666485, 0.16666667, 0.5)


def wave_rates(count: int, longest: float = 10000.0) -> Tensor:
    """exp(-ln(longest) j / count) for j = 0 .. count - 1, in float32.

    Example:
        >>> [round(rate, 4) for rate in wave_rates(4).tolist()]
        [1.0, 0.1, 0.01, 0.001]
    """
    return exp32(-math.log(longest) * torch.arange(count, dtype=torch.float32, device="cpu") / count)


def exp32(x: Tensor) -> Tensor:
    """e^x in float32: x = n ln 2 + r, a polynomial in r, and a power of two."""
    exact = x.double()
    whole = (exact * PER_LN2).round()
    rest = _fused(whole, _narrow(-LN2_LOW), _fused(whole, _narrow(-LN2_HIGH), exact))
    total = torch.full_like(rest, _narrow(POLYNOMIAL[0]))
    for coefficient in POLYNOMIAL[1:]:
        total = _fused(total, rest, _narrow(coefficient))
    square = (rest * rest).float().double()
    return torch.ldexp((1 + _fused(square, total, rest)).float(), whole.int())


def _fused(a: Tensor, b: Tensor | float, c: Tensor | float) -> Tensor:
    """A b + c of float32 numbers, rounded once."""
    return (a * b + c).float().double()


def _narrow(value: float) -> float:
    return torch.tensor(value, dtype=torch.float32, device="cpu").item()
