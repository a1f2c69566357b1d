"""Who decides for which stream."""

from dataclasses import replace

import pytest
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import read, recorder, rows, scheme, told_apart

from navicache.engine.decide.deciders import Deciders
from navicache.engine.tracking.batch import Batch


def deciders(streams="lead", reads=()):
    of = scheme(Every("sample", streams, frozenset(reads)))
    return Deciders(of, recorder(of), Batch(3, settled=False))


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
    told_apart(made.batch)
    assert [len(made.of(name).gates) for name in ("cond", "late")] == [3, 3]


@pytest.mark.parametrize(("streams", "changes"), [("lead", [4]), ("each", [3, 4])])
def test_changes_are_measured_from_the_last_compute_of_the_leader_or_of_each(streams, changes):
    made = deciders(streams, ["since_computed"])
    made.of("cond"), made.of("uncond")
    made.measure(None, rows(5), "uncond", {"cond": rows(2), "uncond": rows(1)})
    assert len(made.waiting()) == len(changes)
    assert [read(decider.readings)["since_computed"] for decider in made.kept.values()] == [[c] for c in changes]


def test_a_signal_is_measured_for_its_stream_or_for_all_where_that_is_not_known():
    of = replace(scheme(Every("call", "each", frozenset({"since_seen"}))), signal="modulated")
    made = Deciders(of, recorder(of), Batch(1, settled=True))
    for name in ("cond", "uncond"):
        made.of(name).watch.take(rows(1)[0])
    made.measure_signal(rows(3)[0], "uncond")
    assert [[*decider.readings] for decider in made.kept.values()] == [[], ["since_seen", "seen_size"]]
    made.measure_signal(rows(5)[0], None)
    assert [read(decider.readings)["since_seen"] for decider in made.kept.values()] == [[4], [4]]


def test_take_back_reaches_every_decider():
    made = deciders("each", ["since_seen"])
    made.of("cond"), made.of("uncond")
    made.measure(rows(1), rows(1), "cond", {})
    made.take_back()
    assert made.waiting() == []
