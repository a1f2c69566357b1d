"""The one door from the device to the host."""

import pytest
import torch

from navicache.engine.tensors.fetch import Reading, fetch, time_reading, value


@pytest.mark.parametrize("count", [0, 1, 5])
def test_all_readings_cross_together(count, transfers):
    readings = [Reading(torch.full((2,), float(n)), scale=10.0) for n in range(count)]
    fetch(readings)
    assert [reading.values for reading in readings] == [[10.0 * n] * 2 for n in range(count)]
    assert all(reading.tensor is None for reading in readings), "nothing is held"
    assert len(transfers) == min(count, 1)


def test_what_has_crossed_does_not_cross_again(transfers):
    reading = Reading(torch.ones(1))
    fetch([reading])
    fetch([reading])
    assert transfers == [1]


@pytest.mark.parametrize("time", [7.0, 7, torch.tensor(7.0), torch.tensor([[3, 7], [5, 0]])])
def test_a_time_is_the_largest_of_its_tokens(time):
    reading = time_reading(time)
    assert value(reading) is None, "not read yet"
    fetch([reading])
    assert value(reading) == 7
