"""Who decides for which stream."""

import pytest
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import read, recorder, rows, scheme

from navicache.engine.decide.deciders import Deciders


def deciders(streams="lead", reads=()):
    of = scheme(Every("sample", streams, frozenset(reads)))
    return Deciders(of, recorder(of))


def test_one_for_all_streams_where_one_leads():
    made = deciders("lead")
    assert made.lead
    assert made.of("cond") is made.of("uncond")
    assert made.of("cond").branch == 0


def test_one_for_each_stream_numbered_in_the_order_of_their_first_calls():
    made = deciders("each")
    assert not made.lead
    assert made.of("cond") is not made.of("uncond")
    assert [made.of(name).branch for name in ("uncond", "cond", "third")] == [1, 0, 2]


def test_a_stream_that_comes_after_the_samples_were_told_apart_has_them_all():
    made = deciders("each")
    made.of("cond")
    made.split(3)
    assert [len(made.of(name).gates) for name in ("cond", "late")] == [3, 3]


@pytest.mark.parametrize(("streams", "changes"), [("lead", [4]), ("each", [3, 4])])
def test_changes_are_measured_from_the_last_compute_of_the_leader_or_of_each(streams, changes):
    made = deciders(streams, ["since_computed"])
    made.of("cond"), made.of("uncond")
    made.measure(None, rows(5), "uncond", {"cond": rows(2), "uncond": rows(1)})
    assert len(made.waiting()) == len(changes)
    assert [read(decider.readings)["since_computed"] for decider in made.kept.values()] == [[c] for c in changes]


def test_renumber_and_take_back_reach_every_decider():
    made = deciders("each", ["since_seen"])
    for name in ("cond", "uncond"):
        made.of(name).computed(7, (0,))
    made.renumber(7, 1)
    assert [decider.computed_at for decider in made.kept.values()] == [[(1,)]] * 2
    made.measure(rows(1), rows(1), "cond", {})
    made.take_back()
    assert made.waiting() == []
