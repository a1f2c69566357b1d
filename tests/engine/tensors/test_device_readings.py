"""The one door from the device to the host."""

import pytest
import torch

from navicache.engine.tensors.device_readings import DeviceReading, create_time_reading, fetch_readings


@pytest.mark.parametrize("count", [0, 1, 5])
def test_all_readings_cross_together(count, transfers):
    readings = [DeviceReading(torch.full((2,), float(n)), scale=10.0) for n in range(count)]
    fetch_readings(readings)
    assert [reading.values for reading in readings] == [[10.0 * n] * 2 for n in range(count)]
    assert all(reading.tensor is None for reading in readings), "nothing is held"
    assert len(transfers) == min(count, 1)


def test_what_has_crossed_does_not_cross_again(transfers):
    reading = DeviceReading(torch.ones(1))
    fetch_readings([reading])
    fetch_readings([reading])
    assert transfers == [1]


@pytest.mark.parametrize("time", [7.0, 7, torch.tensor(7.0), torch.tensor([[3, 7], [5, 0]])])
def test_a_time_is_the_largest_of_its_tokens(time):
    reading = create_time_reading(time)
    assert reading.values == [], "not read yet"
    fetch_readings([reading])
    assert reading.values[0] == 7
