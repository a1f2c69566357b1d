"""How the streams of a run hang together: who leads, who follows as a difference, and who makes amends."""

import pytest
import torch
from tests.engine.toys.calls import called
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import arrived, first, moment, recorder, rows, scheme, taught

from navicache.engine.decide.deciders import Deciders
from navicache.engine.decide.lesson import Lesson
from navicache.engine.predict.branches import Branches
from navicache.engine.predict.stream import NOTHING, Keep
from navicache.engine.run.batch import Batch
from navicache.engine.run.seen import Seen
from navicache.engine.run.streams import Streams
from navicache.engine.tensors.containers import Output
from navicache.policies import DeadReckoning, OutputHold


def streams(count=1, predictor=None, apart=True, gate=None):
    """Streams of a run with so many rows, each a sample."""
    predictor = predictor or OutputHold()
    of = scheme(gate or Every("sample"), predictor, predictor if apart else None)
    deciders, seen, batch = Deciders(of, recorder(of), samples=count), Seen(), Batch(count, settled=True)
    batch.layout = tuple((row,) for row in range(count))
    return Streams(of, Keep(), seen, batch, deciders)


def step(made, index, **outputs):
    """A computed step: what each stream returns, a value for each row; the first one leads."""
    for place, (name, values) in enumerate(outputs.items()):
        if place == 0:
            made.seen.see(called(rows(*values)[0]), rows(*values))
            made.lead(name)
            made.deciders.of(name).decide(moment(index), name, made.batch.layout, 1, True)
        kept = made.form(name, rows(*values), None, leads=place == 0)
        made.of(name).remember(made.seen.last, Output(kept, tuple), None, NOTHING, shared=True)
        samples = range(len(values))
        if place == 0:
            made.deciders.of(name).computed(index, samples)
        made.of(name).computed(index, samples)


def kept(made, name):
    return first(made.kept[name].history[0][1])


def test_a_follower_is_kept_as_its_difference_from_the_leader():
    made = streams()
    step(made, 0, cond=(10,), uncond=(13,))
    assert (kept(made, "cond"), kept(made, "uncond")) == ([10], [3])
    assert (made.leader, made.followers) == ("cond", {"uncond"})
    assert first(made.predict("uncond", rows(0))) == [13]


@pytest.mark.parametrize("how", [{"apart": False}, {"gate": Every(streams="each")}], ids=["not apart", "each decides"])
def test_where_nothing_is_kept_apart_everyone_keeps_its_output(how):
    made = streams(**how)
    step(made, 0, cond=(10,), uncond=(13,))
    assert (kept(made, "uncond"), made.followers, made.leader) == ([13], set(), None)


def test_a_follower_of_another_form_keeps_its_output():
    made = streams()
    step(made, 0, cond=(10,))
    assert made.form("uncond", (torch.ones(1, 2, dtype=torch.float64),), None, leads=False)[0].dtype == torch.float64
    assert made.followers == set()


def test_a_follower_that_was_computed_for_some_rows_only_is_no_difference_yet():
    made = streams(2)
    step(made, 0, cond=(10, 20))
    assert first(made.form("uncond", rows(25), [1], leads=False)) == [25]
    assert made.followers == set()


def test_another_leader_makes_differences_useless():
    made = streams()
    step(made, 0, cond=(10,), uncond=(13,))
    made.lead("uncond")
    assert (made.followers, made.leader, made.apart) == (set(), "uncond", False)
    assert made.kept["uncond"].history == []
    assert made.kept["uncond"].computed_at == [()], "it computes"
    assert kept(made, "cond") == [10], "who led keeps its outputs"


def test_what_the_leader_returned_is_worked_out_again():
    made = streams()
    assert made.led() == NOTHING, "nobody has led"
    step(made, 0, cond=(10,), uncond=(13,))
    assert first(made.led()) == [10]
    made.kept["cond"].history = []
    assert made.led() == NOTHING, "the run is over"


AMENDS = DeadReckoning(amends=True)


@pytest.mark.parametrize(
    ("how", "lead", "follower"),
    [
        ({"predictor": AMENDS}, True, True),
        ({"predictor": DeadReckoning()}, False, False),
        ({"predictor": AMENDS, "apart": False}, False, False),
    ],
    ids=["amends", "a predictor without", "not apart"],
)
def test_who_makes_amends(how, lead, follower):
    made = streams(**how)
    step(made, 0, cond=(10,), uncond=(13,))
    assert (made.mends("cond", True), made.mends("uncond", False)) == (lead, follower)
    assert not made.mends("stranger", False), "what it is owed, the leader's amends have not paid"


def test_no_amends_where_rows_may_be_branches_and_nobody_knows():
    made = streams(2, AMENDS)
    made.batch.layout = ((0, 1),)
    assert not made.mends("cond", True)
    made.part(Branches(((0, 1),)))
    assert made.mends("cond", True)


def test_a_stream_that_is_no_difference_ends_all_amends_with_the_next_step():
    made = streams(1, AMENDS)
    step(made, 0, cond=(10,), uncond=(13,))
    made.kept["cond"].missed = rows(4)
    made.lead("cond")
    assert first(made.kept["cond"].missed) == [4], "all of them go along"
    made.of("odd").remember(rows(0), Output(rows(7), tuple), None, NOTHING, shared=True)
    made.lead("cond")
    assert made.kept["cond"].missed == NOTHING


def test_what_was_missed_does_not_count_amends_made_on_the_way():
    """Outputs 1 and 3 two steps apart, then 5: the line says 4, so 1 was missed, whatever else was paid."""
    made = streams(1, AMENDS)
    for index, value in ((0, 1), (2, 3)):
        step(made, index, cond=(value,))
    made.kept["cond"].missed = rows(8)
    made.deciders.of("cond").decide(moment(3), "cond", made.batch.layout, 1, True)
    guess = made.predict("cond", rows(0))
    assert first(guess) > [4], "with amends"
    assert first(made.missed("cond", rows(0), rows(5), guess, None)) == [1]


def test_branches_in_one_call_learn_row_by_row():
    made = streams(2, AMENDS)
    made.batch.layout = ((0, 1),)
    made.deciders = Deciders(made.scheme, recorder(made.scheme))
    readings = {"output_magnitude": arrived(1, 1)} | {
        name: arrived(1, value) for name, value in (("product 0 0", 1), ("product 0 1", -1), ("product 1 1", 1))
    }
    lesson = Lesson(moment(4), "cond", range(2), [(3, 2)], readings)
    made.learn_rows(lesson, 0)
    assert made.courses.states == {}, "no branches are known"
    made.part(Branches(((0, 1),)))
    made.learn_rows(lesson, 0)
    assert made.courses.of((0, 1))[0].damping.mean < 0.5, "the second row takes back every move"


def test_a_follower_learns_for_itself_and_a_split_reaches_all():
    made = streams(1, DeadReckoning())
    step(made, 0, cond=(10,), uncond=(13,))
    made.learn("uncond", 0, taught(4, products=((1.0, -1.0), (-1.0, 1.0)), gaps=(1, 1)))
    made.split(2)
    assert len(made.courses.of("uncond")) == 2
    assert made.kept["cond"].computed_at == [(0,)] * 2
    made.renumber(0, 6)
    assert made.kept["uncond"].computed_at == [(6,)] * 2
    made.release()
    assert (made.kept, made.followers) == ({}, set())
