"""Everything that lives as long as one run: when it steps aside, who decides, and what is to be computed."""

from dataclasses import replace

import pytest
from tests.engine.toys.calls import called
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import recorder, rows, scheme

from navicache.engine import CannotCache, Keep
from navicache.engine.run.run import Run, check_rows
from navicache.engine.tensors.containers import Output
from navicache.engine.tracking.tracker import Tracker


def run(count=1, shortest=0, **gate) -> Run:
    of = replace(scheme(Every(**gate)), shortest=shortest)
    return Run(of, recorder(of), Keep(), count)


@pytest.mark.parametrize(
    ("total", "shortest", "aside"),
    [(5, 0, True), (6, 0, False), (12, 13, True), (13, 13, False), (None, 13, False)],
    ids=["total <= align_steps + 2", "one step more", "fewer than the shortest", "the shortest", "not known"],
)
def test_few_steps_are_left_alone(total, shortest, aside):
    made = run(shortest=shortest)
    made.begin(called(), total, align_steps=3)
    assert bool(made.aside) == aside
    assert bool(made.seen.last) != aside, "nothing is kept where nothing is reused"


def test_followers_have_the_leaders_verdict_and_compute_without_a_reference():
    made = run(steps=(0,))
    made.begin(called(), None, align_steps=0)
    made.decide(Tracker(index=1, called=["cond"]), "cond")
    made.decide(Tracker(index=1, called=["cond", "uncond"]), "uncond")
    work = made.work(1, "uncond", called())
    assert (work.samples, work.rows) == ([0], None)
    leader, follower = made.recorder.current().steps
    assert (leader.computed, leader.reason) == (False, "schedule")
    assert (follower.computed, follower.reason) == (True, "no reference")


def test_samples_are_told_apart_once_two_steps_were_looked_at():
    made = run(2, rows="sample")
    for values in ((1, 1), (2, 3)):
        made.batch.watch(rows(*values))
    for reading in made.batch.waiting():
        reading.arrive(reading.tensor.tolist())
    made.settle_batch()
    assert made.batch.layout == ((0,), (1,))
    assert len(made.deciders.of("cond").gates) == 2
    assert made.streams.of("cond").computed_at == [(), ()]


def test_another_number_of_rows_than_were_asked_for_is_refused():
    check_rows(Output(rows(1, 2), tuple), 2)
    with pytest.raises(CannotCache, match="returned 2 rows for 3"):
        check_rows(Output(rows(1, 2), tuple), 3)
