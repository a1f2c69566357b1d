"""The frequencies of the timestep embedding, the same to the last bit on every machine.

At timestep 1000 the last bit of a frequency changes an angle by 1e-4, which shows in the fifth digit of the output.
Math libraries differ in that bit, so `exp` is computed here.
"""

import math

import torch
from torch import Tensor

# exp as SLEEF computes it in float32, which is what torch uses without a vendor's math library.
INVERSE_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693145751953125, 1.428606765330187e-06
POLYNOMIAL = (0.00019852762, 0.0013930436, 0.008333361, 0.041666485, 0.16666667, 0.5)


def compute_frequencies(count: int, max_period: float = 10000.0) -> Tensor:
    """exp(-ln(max_period) j / count) for j = 0 .. count - 1, in float32.

    Example:
        >>> [round(frequency, 4) for frequency in compute_frequencies(4).tolist()]
        [1.0, 0.1, 0.01, 0.001]
    """
    return exp_float32(-math.log(max_period) * torch.arange(count, dtype=torch.float32, device="cpu") / count)


def exp_float32(x: Tensor) -> Tensor:
    """e^x in float32: x = n ln 2 + r, a polynomial in r, and a power of two."""
    exact = x.double()
    whole = (exact * INVERSE_LN2).round()
    rest = _multiply_add(whole, _round_to_float32(-LN2_LOW), _multiply_add(whole, _round_to_float32(-LN2_HIGH), exact))
    total = torch.full_like(rest, _round_to_float32(POLYNOMIAL[0]))
    for coefficient in POLYNOMIAL[1:]:
        total = _multiply_add(total, rest, _round_to_float32(coefficient))
    square = (rest * rest).float().double()
    return torch.ldexp((1 + _multiply_add(square, total, rest)).float(), whole.int())


def _multiply_add(a: Tensor, b: Tensor | float, c: Tensor | float) -> Tensor:
    """Compute a b + c of float32 numbers, rounded once."""
    return (a * b + c).float().double()


def _round_to_float32(value: float) -> float:
    return torch.tensor(value, dtype=torch.float32, device="cpu").item()
