"""What is measured, and that nothing else is."""

import pytest
import torch
from tests.engine.toys.parts import read, rows

from navicache.engine.decide.measurements import Measurements


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        ((), {}),
        (("since_seen",), {"since_seen": [1, 3]}),
        (("since_computed",), {"since_computed": [4, 6]}),
        (("since_seen", "since_computed"), {"since_seen": [1, 3], "since_computed": [4, 6]}),
    ],
)
def test_of_an_input_only_what_the_gate_reads(reads, expected):
    gauge = Measurements(frozenset(reads), needs_inner_products=False)
    assert read(gauge.measure_input(rows(-1, 3), rows(5, 8), rows(1, 2))) == expected


def test_the_first_step_has_no_changes():
    assert (
        Measurements(frozenset({"since_seen", "by_channel", "since_computed"}), False).measure_input(
            None, rows(1), None
        )
        == {}
    )


def test_a_compute_against_the_one_before():
    gauge = Measurements(frozenset(), needs_inner_products=False)
    found = read(gauge.measure_output(rows(5), rows(-10), (rows(3), [rows(-4)]), rows(-9)))
    assert found == {"output_magnitude": [10], "input_change": [2], "output_change": [6], "prediction_error": [1]}
    assert read(gauge.measure_output(rows(5), rows(-10), None, None)) == {"output_magnitude": [10]}, "the first one"


def test_products_of_all_moves_for_a_predictor_that_learns_from_them():
    """Outputs 10, 4, 1: moves of 6 and 3."""
    old = (rows(0), [rows(4), rows(1)])
    found = read(Measurements(frozenset(), needs_inner_products=True).measure_output(rows(1), rows(10), old, rows(10)))
    assert {name: found[name] for name in found if name.startswith("product")} == {
        "product 0 0": [36],
        "product 0 1": [18],
        "product 1 1": [9],
    }
    alone = Measurements(frozenset(), needs_inner_products=True).measure_output(
        rows(1), rows(10), (rows(0), [rows(4)]), rows(10)
    )
    assert "product 0 0" not in alone, "a first move alone teaches nothing"


def test_a_difference_and_what_its_moves_have_in_common():
    found = read(Measurements(frozenset(), False).measure_difference(rows(-5), [rows(-3), rows(1)]))
    assert found == {"output_magnitude": [5], "product 0 0": [4], "product 0 1": [8], "product 1 1": [16]}


def test_a_miss_against_the_one_before():
    assert [*read(Measurements(frozenset(), False).measure_error_correlation(rows(3), rows(-2))).values()] == [
        [-6],
        [4],
    ]


@pytest.mark.parametrize(
    ("shape", "channel_dim", "channels"),
    [((1, 2, 3, 3), None, [1, 2]), ((1, 3, 2), None, [1, 2]), ((1, 3, 2, 3), 2, [1, 2])],
    ids=["second", "last of tokens", "as told"],
)
def test_channels_lie_where_the_form_of_the_latent_says(shape, channel_dim, channels):
    dim = shape.index(2)
    change = torch.tensor([1.0, -2.0]).reshape([2 if d == dim else 1 for d in range(len(shape))]).expand(shape)
    gauge = Measurements(frozenset({"by_channel"}), False, channel_dim)
    assert read(gauge.measure_input((change,), (change,), None)) == {"by_channel": channels}
