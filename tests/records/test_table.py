"""Cells of a table."""

import math

import pytest

from navicache.records.text_table import format_number_cells


@pytest.mark.parametrize(
    ("values", "cells"),
    [
        ([4.5, 0.8, None], ["4.500", "0.800", "-"]),
        ([0.05123, 0.0012, 0.0], ["0.05123", "0.00120", "0.00000"]),
        ([1.5, 0.00012, 3e-7, 0.0], ["1.50", "0.000120", "3.00e-07", "0"]),
        ([1000.0, 20.0], ["1000", "20"]),
        ([12345.6, 2e7], ["12346", "2.00e+07"]),
        ([math.inf, -math.inf, math.nan, 0.5], ["inf", "-inf", "nan", "0.5000"]),
        ([math.nan, None, 0.0], ["nan", "-", "0"]),
    ],
)
def test_numbers_keep_three_to_four_digits(values, cells):
    assert format_number_cells(values) == cells
