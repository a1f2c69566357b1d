"""Who decides for which stream."""

from dataclasses import replace

import pytest
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import read, recorder, rows, scheme, told_apart

from navicache.engine.decide.deciders import StreamDeciders
from navicache.engine.tracking.batch_samples import BatchSamples


def deciders(streams="lead", reads=()):
    of = scheme(Every("sample", streams, frozenset(reads)))
    return StreamDeciders(of, recorder(of), BatchSamples(3, is_layout_known=False))


def test_one_for_all_streams_where_one_leads():
    made = deciders("lead")
    assert made.leader_decides
    assert made.get_or_create("cond") is made.get_or_create("uncond")
    assert made.get_or_create("cond").stream_index == 0


def test_one_for_each_stream_numbered_in_the_order_of_their_first_calls():
    made = deciders("each")
    assert not made.leader_decides
    assert made.get_or_create("cond") is not made.get_or_create("uncond")
    assert [made.get_or_create(name).stream_index for name in ("uncond", "cond", "third")] == [1, 0, 2]


def test_a_stream_that_comes_after_the_samples_were_told_apart_has_them_all():
    made = deciders("each")
    made.get_or_create("cond")
    told_apart(made.batch)
    assert [len(made.get_or_create(name).gate_states) for name in ("cond", "late")] == [3, 3]


@pytest.mark.parametrize(("streams", "changes"), [("lead", [4]), ("each", [3, 4])])
def test_changes_are_measured_from_the_last_compute_of_the_leader_or_of_each(streams, changes):
    made = deciders(streams, ["since_computed"])
    made.get_or_create("cond"), made.get_or_create("uncond")
    made.measure_input(None, rows(5), "uncond", {"cond": rows(2), "uncond": rows(1)})
    assert len(made.list_pending_readings()) == len(changes)
    assert [read(decider.readings)["since_computed"] for decider in made.by_stream.values()] == [[c] for c in changes]


def test_a_signal_is_measured_for_its_stream_or_for_all_where_that_is_not_known():
    of = replace(scheme(Every("call", "each", frozenset({"since_seen"}))), signal="modulated")
    made = StreamDeciders(of, recorder(of), BatchSamples(1, is_layout_known=True))
    for name in ("cond", "uncond"):
        made.get_or_create(name).signal_history.set_last_signal(rows(1)[0])
    made.measure_signal(rows(3)[0], "uncond")
    assert [[*decider.readings] for decider in made.by_stream.values()] == [[], ["since_seen", "seen_magnitude"]]
    made.measure_signal(rows(5)[0], None)
    assert [read(decider.readings)["since_seen"] for decider in made.by_stream.values()] == [[4], [4]]


def test_take_back_reaches_every_decider():
    made = deciders("each", ["since_seen"])
    made.get_or_create("cond"), made.get_or_create("uncond")
    made.measure_input(rows(1), rows(1), "cond", {})
    made.discard_measurements()
    assert made.list_pending_readings() == []
