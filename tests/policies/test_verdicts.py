"""The division whose result a threshold is held against."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navicache.policies.decisions import divide_ieee

numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(numbers, numbers)
def test_divides_as_ieee_does_and_never_raises(numerator, denominator):
    """But for the sign of a zero below: changes are never negative, and -0.0 counts as 0.0."""
    with np.errstate(all="ignore"):
        expected = np.float64(numerator) / np.float64(abs(denominator) if denominator == 0 else denominator)
    assert np.array_equal(divide_ieee(numerator, denominator), expected, equal_nan=True)
