"""How the streams of a run hang together: who leads, who follows as a difference, and who makes amends."""

import pytest
import torch
from tests.engine.toys.calls import called
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import arrived, batch, first, moment, recorder, rows, scheme, taught

from navicache.engine.decide.deciders import StreamDeciders
from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.run.latent_state import LatentState
from navicache.engine.run.outcome_measurement import ComputeWork
from navicache.engine.run.result_storage import compute_prediction_error
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.rows import NO_ROWS
from navicache.policies import DeadReckoning, OutputHold


def streams(count=1, predictor=None, apart=True, gate=None):
    """Streams of a run with so many rows, each a sample."""
    predictor = predictor or OutputHold()
    of = scheme(gate or Every("sample"), predictor, predictor if apart else None)
    samples = batch(count)
    return StreamCaches(of, StorageOptions(), LatentState(), samples, StreamDeciders(of, recorder(of), samples))


def step(made, index, **outputs):
    """A computed step: what each stream returns, a value for each row; the first one leads."""
    for place, (name, values) in enumerate(outputs.items()):
        if place == 0:
            made.latent_state.set_latent(called(rows(*values)[0]), rows(*values))
            made.set_leader(name)
            made.deciders.get_or_create(name).decide_samples(moment(index), name, 1, True)
        if place:
            made.adopt_follower(name, rows(*values))
        kept = made.encode_output(name, rows(*values), None)
        made.get_or_create(name).store_step(made.latent_state.latent, kept, None, NO_ROWS, shares_latent=True)
        samples = range(len(values))
        if place == 0:
            made.deciders.get_or_create(name).mark_computed(index, samples)
        made.get_or_create(name).mark_computed(index, samples)


def kept(made, name):
    return first(made.by_name[name].history[0][1])


def test_a_follower_is_kept_as_its_difference_from_the_leader():
    made = streams()
    step(made, 0, cond=(10,), uncond=(13,))
    assert (kept(made, "cond"), kept(made, "uncond")) == ([10], [3])
    assert (made.leader, made.followers) == ("cond", {"uncond"})
    assert first(made.predict_output("uncond", rows(0))) == [13]


@pytest.mark.parametrize("how", [{"apart": False}, {"gate": Every(streams="each")}], ids=["not apart", "each decides"])
def test_where_nothing_is_kept_apart_everyone_keeps_its_output(how):
    made = streams(**how)
    step(made, 0, cond=(10,), uncond=(13,))
    assert (kept(made, "uncond"), made.followers, made.leader) == ([13], set(), None)


def test_a_follower_of_another_form_keeps_its_output():
    made = streams()
    step(made, 0, cond=(10,))
    output = (torch.ones(1, 2, dtype=torch.float64),)
    made.adopt_follower("uncond", output)
    assert made.encode_output("uncond", output, None)[0].dtype == torch.float64
    assert made.followers == set()


def test_some_rows_of_a_follower_are_differences_from_the_same_rows():
    made = streams(2)
    step(made, 0, cond=(10, 20), uncond=(13, 24))
    assert first(made.encode_output("uncond", rows(25), [1])) == [5]
    assert first(made.encode_output("other", rows(25), [1])) == [25], "it was not adopted"


def test_another_leader_makes_differences_useless():
    made = streams()
    step(made, 0, cond=(10,), uncond=(13,))
    made.set_leader("uncond")
    assert (made.followers, made.leader, made.stores_differences) == (set(), "uncond", False)
    assert made.by_name["uncond"].history == []
    assert made.by_name["uncond"].computed_steps == [()], "it computes"
    assert kept(made, "cond") == [10], "who led keeps its outputs"


def test_what_the_leader_returned_is_worked_out_again():
    made = streams()
    assert made.compute_leader_output() == NO_ROWS, "nobody has led"
    step(made, 0, cond=(10,), uncond=(13,))
    assert first(made.compute_leader_output()) == [10]
    made.by_name["cond"].history = []
    assert made.compute_leader_output() == NO_ROWS, "the run is over"


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
    assert (made.corrects_errors("cond", True), made.corrects_errors("uncond", False)) == (lead, follower)
    assert not made.corrects_errors("stranger", False), "what it is owed, the leader's amends have not paid"


def test_no_amends_where_rows_may_be_branches_and_nobody_knows():
    made = streams(2, AMENDS)
    made.batch.layout = ((0, 1),)
    assert not made.corrects_errors("cond", True)
    made.set_branch_differences(BranchDifferences(((0, 1),)))
    assert made.corrects_errors("cond", True)


def test_a_stream_that_is_no_difference_ends_all_amends_with_the_next_step():
    made = streams(1, AMENDS)
    step(made, 0, cond=(10,), uncond=(13,))
    made.by_name["cond"].last_error = rows(4)
    made.set_leader("cond")
    assert first(made.by_name["cond"].last_error) == [4], "all of them go along"
    made.get_or_create("odd").store_step(rows(0), rows(7), None, NO_ROWS, shares_latent=True)
    made.set_leader("cond")
    assert made.by_name["cond"].last_error == NO_ROWS


def test_what_was_missed_does_not_count_amends_made_on_the_way():
    """Outputs 1 and 3 two steps apart, then 5: the line says 4, so 1 was missed, whatever else was paid."""
    made = streams(1, AMENDS)
    for index, value in ((0, 1), (2, 3)):
        step(made, index, cond=(value,))
    made.by_name["cond"].last_error = rows(8)
    made.deciders.get_or_create("cond").decide_samples(moment(3), "cond", 1, True)
    guess = made.predict_output("cond", rows(0))
    assert first(guess) > [4], "with amends"
    work = ComputeWork("cond", called(), rows(0), [0], None)
    assert first(compute_prediction_error(made, work, rows(5), guess)) == [1]


def test_branches_in_one_call_learn_row_by_row():
    made = streams(2, AMENDS)
    made.batch.layout = ((0, 1),)
    made.deciders = StreamDeciders(made.scheme, recorder(made.scheme), made.batch)
    readings = {"output_magnitude": arrived(1, 1)} | {
        name: arrived(1, value) for name, value in (("product 0 0", 1), ("product 0 1", -1), ("product 1 1", 1))
    }
    lesson = PendingOutcome(moment(4), "cond", range(2), [(3, 2)], readings)
    made.learn_branch_rows(lesson, 0)
    assert made.difference_predictors.states == {}, "no branches are known"
    made.set_branch_differences(BranchDifferences(((0, 1),)))
    made.learn_branch_rows(lesson, 0)
    assert made.difference_predictors.get_or_create_states((0, 1))[0].damping.mean < 0.5, (
        "the second row takes back every move"
    )


def test_a_follower_learns_for_itself():
    made = streams(1, DeadReckoning())
    step(made, 0, cond=(10,), uncond=(13,))
    made.learn_difference("uncond", 0, taught(4, inner_products=((1.0, -1.0), (-1.0, 1.0)), gaps=(1, 1)))
    assert made.difference_predictors.get_or_create_states("uncond")[0].damping.mean < 0.5
    assert made.deciders.get_or_create("cond").predictor_states[0].damping is None
    made.release_tensors()
    assert (made.by_name, made.followers) == ({}, set())
