"""The door from the device to the host: alone, or as the mean over ranks that decide together."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from navicache.engine.rank_group import (
    HEADER_LENGTH,
    PAYLOAD_LENGTH,
    HostTransfer,
    RankGroup,
    encode_rank_position,
    find_no_ranks,
)
from navicache.engine.tensors.device_readings import DeviceReading

LATENT = torch.zeros(1)


class Pretended(RankGroup):
    """Two ranks of which only this one is there: the other one sends what a test says."""

    def __init__(self, place: int, *values: float) -> None:
        self.size, self._reduces_on_cpu, self.messages = 2, True, 0
        self.place, self.values = place, values

    def _all_reduce_mean(self, message):
        count, more = len(self.values), PAYLOAD_LENGTH * (self.messages > 0)
        head = [0.0] * HEADER_LENGTH if self.messages else [self.place, self.place**2, count, count**2]
        sent = [*head, *self.values[more : more + len(message) - HEADER_LENGTH]]
        sent += [0.0] * (len(message) - len(sent))
        self.messages += 1
        mean = [(a + b) / 2 for a, b in zip(message.tolist(), sent, strict=True)]
        return mean[:HEADER_LENGTH], mean[HEADER_LENGTH:]


def test_alone_readings_come_as_they_are():
    door, reading = HostTransfer(find_no_ranks), DeviceReading(torch.tensor([1.0, 2.0]))
    door.update_ranks()
    assert door.ranks is None
    assert door.fetch_readings([reading], "step", 3, LATENT)
    assert reading.values == [1, 2]


def test_ranks_are_found_when_a_run_begins():
    ranks = Pretended(encode_rank_position("step", 3), 5.0)
    door, reading = HostTransfer(lambda: ranks), DeviceReading(torch.tensor([1.0]))
    assert door.ranks is None, "before the first run"
    door.update_ranks()
    assert door.fetch_readings([reading], "step", 3, LATENT)
    assert reading.values == [3], "the mean of 1 and 5"


@pytest.mark.parametrize(
    ("place", "values"),
    [
        (encode_rank_position("step", 4), (5.0,)),
        (encode_rank_position("follow", 3), (5.0,)),
        (encode_rank_position("step", 3), (5.0, 6.0)),
    ],
    ids=["another step", "another stream", "other measurements"],
)
def test_ranks_that_are_apart_learn_so_and_no_number(place, values):
    door, reading = HostTransfer(lambda: Pretended(place, *values)), DeviceReading(torch.tensor([1.0]))
    door.update_ranks()
    assert not door.fetch_readings([reading], "step", 3, LATENT)
    assert math.isnan(reading.values[0])
    assert reading.tensor is None


@pytest.mark.parametrize(
    ("count", "messages"), [(0, 1), (1, 1), (PAYLOAD_LENGTH, 1), (PAYLOAD_LENGTH + 1, 2), (3 * PAYLOAD_LENGTH, 2)]
)
def test_what_does_not_fit_into_one_message_takes_two(count, messages):
    ranks = Pretended(encode_rank_position("step", 3), *[2.0 * n for n in range(count)])
    reading = DeviceReading(torch.arange(count, dtype=torch.float32))
    assert ranks.fetch_means([reading], encode_rank_position("step", 3), LATENT)
    assert reading.values == [1.5 * n for n in range(count)]
    assert ranks.messages == messages


def test_readings_get_their_own_values_and_those_that_have_crossed_are_left_alone():
    done = DeviceReading(torch.tensor([9.0]))
    done.set_values([9.0])
    pair, single = DeviceReading(torch.tensor([1.0, 2.0])), DeviceReading(torch.tensor([3.0]), scale=10.0)
    Pretended(0, 3.0, 4.0, 5.0).fetch_means([pair, done, single], encode_rank_position("run", 0), LATENT)
    assert (pair.values, single.values, done.values) == ([2, 3], [40], [9])


kinds = st.sampled_from(["step", "follow"])


@given(left=st.tuples(kinds, st.integers(0, 999)), right=st.tuples(kinds, st.integers(0, 999)))
def test_two_ranks_stand_at_the_same_number_only_where_they_do_the_same(left, right):
    assert (encode_rank_position(*left) == encode_rank_position(*right)) == (left == right)
    assert encode_rank_position("run", left[1]) == 0 != encode_rank_position(*left), "a run may begin at any step"
