"""The door from the device to the host: alone, or as the mean over ranks that decide together."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from navicache.engine.ranks import HEAD, ROOM, Door, Ranks, alone, standing
from navicache.engine.tensors.fetch import Reading

LATENT = torch.zeros(1)


class Pretended(Ranks):
    """Two ranks of which only this one is there: the other one sends what a test says."""

    def __init__(self, place: int, *values: float) -> None:
        self.size, self._on_host, self.messages = 2, True, 0
        self.place, self.values = place, values

    def _mean(self, message):
        count, more = len(self.values), ROOM * (self.messages > 0)
        head = [0.0] * HEAD if self.messages else [self.place, self.place**2, count, count**2]
        sent = [*head, *self.values[more : more + len(message) - HEAD]]
        sent += [0.0] * (len(message) - len(sent))
        self.messages += 1
        mean = [(a + b) / 2 for a, b in zip(message.tolist(), sent, strict=True)]
        return mean[:HEAD], mean[HEAD:]


def test_alone_readings_come_as_they_are():
    door, reading = Door(alone), Reading(torch.tensor([1.0, 2.0]))
    door.meet()
    assert door.ranks is None
    assert door.cross([reading], "step", 3, LATENT)
    assert reading.values == [1, 2]


def test_ranks_are_found_when_a_run_begins():
    ranks = Pretended(standing("step", 3), 5.0)
    door, reading = Door(lambda: ranks), Reading(torch.tensor([1.0]))
    assert door.ranks is None, "before the first run"
    door.meet()
    assert door.cross([reading], "step", 3, LATENT)
    assert reading.values == [3], "the mean of 1 and 5"


@pytest.mark.parametrize(
    ("place", "values"),
    [(standing("step", 4), (5.0,)), (standing("follow", 3), (5.0,)), (standing("step", 3), (5.0, 6.0))],
    ids=["another step", "another stream", "other measurements"],
)
def test_ranks_that_are_apart_learn_so_and_no_number(place, values):
    door, reading = Door(lambda: Pretended(place, *values)), Reading(torch.tensor([1.0]))
    door.meet()
    assert not door.cross([reading], "step", 3, LATENT)
    assert math.isnan(reading.values[0])
    assert reading.tensor is None


@pytest.mark.parametrize(("count", "messages"), [(0, 1), (1, 1), (ROOM, 1), (ROOM + 1, 2), (3 * ROOM, 2)])
def test_what_does_not_fit_into_one_message_takes_two(count, messages):
    ranks = Pretended(standing("step", 3), *[2.0 * n for n in range(count)])
    reading = Reading(torch.arange(count, dtype=torch.float32))
    assert ranks.fetch([reading], standing("step", 3), LATENT)
    assert reading.values == [1.5 * n for n in range(count)]
    assert ranks.messages == messages


def test_readings_get_their_own_values_and_those_that_have_crossed_are_left_alone():
    done = Reading(torch.tensor([9.0]))
    done.arrive([9.0])
    pair, single = Reading(torch.tensor([1.0, 2.0])), Reading(torch.tensor([3.0]), scale=10.0)
    Pretended(0, 3.0, 4.0, 5.0).fetch([pair, done, single], standing("run", 0), LATENT)
    assert (pair.values, single.values, done.values) == ([2, 3], [40], [9])


kinds = st.sampled_from(["step", "follow"])


@given(left=st.tuples(kinds, st.integers(0, 999)), right=st.tuples(kinds, st.integers(0, 999)))
def test_two_ranks_stand_at_the_same_number_only_where_they_do_the_same(left, right):
    assert (standing(*left) == standing(*right)) == (left == right)
    assert standing("run", left[1]) == 0 != standing(*left), "a run may begin at any step"
