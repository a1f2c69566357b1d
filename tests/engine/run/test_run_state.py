"""Everything that lives as long as one run: when it steps aside, who decides, and what is to be computed."""

from dataclasses import replace

import pytest
from tests.engine.toys.calls import called
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import recorder, rows, scheme

from navicache.engine import CannotCache, StorageOptions
from navicache.engine.run.run_state import RunState
from navicache.engine.tensors.containers import check_row_count
from navicache.engine.tracking.run_tracker import RunTracker


def run(count=1, shortest=0, **gate) -> RunState:
    of = replace(scheme(Every(**gate)), min_total_steps=shortest)
    return RunState(of, recorder(of), StorageOptions(), count)


@pytest.mark.parametrize(
    ("total", "shortest", "aside"),
    [(5, 0, True), (6, 0, False), (12, 13, True), (13, 13, False), (None, 13, False)],
    ids=["total <= align_steps + 2", "one step more", "fewer than the shortest", "the shortest", "not known"],
)
def test_few_steps_are_left_alone(total, shortest, aside):
    made = run(shortest=shortest)
    made.begin_run(called(), total, align_steps=3)
    assert bool(made.bypass_reason) == aside
    assert bool(made.latent_state.latent) != aside, "nothing is kept where nothing is reused"


def test_followers_have_the_leaders_verdict_and_compute_without_a_reference():
    made = run(steps=(0,))
    made.begin_run(called(), None, align_steps=0)
    made.decide_step(RunTracker(index=1, local_index=1, called_streams=["cond"]), "cond")
    made.decide_step(RunTracker(index=1, local_index=1, called_streams=["cond", "uncond"]), "uncond")
    work = made.plan_work(1, "uncond", called())
    assert (work.samples, work.rows) == ([0], None)
    leader, follower = made.recorder.build_run_record().steps
    assert (leader.computed, leader.reason) == (False, "schedule")
    assert (follower.computed, follower.reason) == (True, "no reference")


def test_samples_are_told_apart_once_two_steps_were_looked_at():
    made = run(2, rows="sample")
    for values in ((1, 1), (2, 3)):
        made.batch.queue_layout_check(rows(*values))
    for reading in made.batch.list_pending_readings():
        reading.set_values(reading.tensor.tolist())
    made.process_fetched_readings("step", is_latent_measured=True)
    assert made.batch.layout == ((0,), (1,))
    assert len(made.deciders.get_or_create("cond").gate_states) == 2
    assert made.streams.get_or_create("cond").computed_steps == [(), ()]


def test_another_number_of_rows_than_were_asked_for_is_refused():
    check_row_count(rows(1, 2), 2)
    with pytest.raises(CannotCache, match="returned 2 rows for 3"):
        check_row_count(rows(1, 2), 3)
