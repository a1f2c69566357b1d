"""Guidance branches that are rows of one call make the run that as many calls a step make."""

import pytest
import torch
from tests.engine.toys.branched import Play, check_same
from tests.engine.toys.curves import Curved

from navicache.engine import StorageOptions
from navicache.policies import Inertial, Schedule

LISTED_STEPS = (0, 1, 2, 4, 5, 9, 12, 16, 17, 23)
POLICIES = {
    "speedup": Inertial(speedup=2),
    "threshold": Inertial(threshold=0.03),
    "max_error": Inertial(max_error=0.2),
    "schedule": Schedule(at=LISTED_STEPS),
}
every_policy = pytest.mark.parametrize("name", POLICIES)
every_order = pytest.mark.parametrize("interleaved", [False, True], ids=["stacked", "interleaved"])


@every_order
@every_policy
@pytest.mark.parametrize("branches", [2, 3])
@pytest.mark.parametrize("samples", [(1,), (1, 2, 3)], ids=["one sample", "three samples"])
def test_one_call_is_as_good_as_several(name, samples, branches, interleaved):
    policy = POLICIES[name]
    one, many = Play(policy, samples, branches), Play(policy, samples, branches)
    check_same(one.one_call(interleaved), many.many_calls())
    assert one.cached.engine.run.streams.branch_differences is not None
    within, apart = (play.cached.engine.run.streams.difference_predictors for play in (one, many))
    for branch in range(1, branches):
        rows, calls = within.get_or_create_states((0, branch)), apart.get_or_create_states(f"branch {branch}")
        assert [belief.damping.mean for belief in rows] == pytest.approx([b.damping.mean for b in calls], abs=1e-3)
        assert len(rows) == len(samples)


@pytest.mark.parametrize("name", ["threshold", "max_error"])
def test_samples_of_a_batch_that_compute_at_different_steps(name):
    one, many = (Play(POLICIES[name], (0, 1, 2, 3), 2) for _ in range(2))
    check_same(one.one_call(), many.many_calls())
    assert len(set(one.schedules)) > 1, "the samples must not all agree, or the test shows nothing"


@every_order
@every_policy
def test_lists_of_rows_of_different_size(name, interleaved):
    how = {"form": lambda sample, x: x.repeat(1, 1 + sample % 2, 1), "listed": True}
    one, many = (Play(POLICIES[name], (1, 2, 3), 2, **how) for _ in range(2))
    check_same(one.one_call(interleaved), many.many_calls())


@pytest.mark.parametrize(
    ("keep", "tolerance"),
    [
        (StorageOptions(torch.bfloat16), 0.1),
        (StorageOptions(torch.float16), 0.03),
        (StorageOptions(device=torch.device("cpu")), 1e-5),
    ],
    ids=["bfloat16", "float16", "cpu"],
)
def test_kept_tensors_can_be_stored_otherwise(keep, tolerance):
    one, many = (Play(POLICIES["schedule"], (1, 2, 3), 2, keep=keep) for _ in range(2))
    check_same(one.one_call(), many.many_calls(), tolerance)


@every_policy
def test_channels_beyond_the_latents(name):
    class Wide(Curved):
        def forward(self, x, t, context):
            output = super().forward(x, t, context)
            return torch.cat([output, 5 * output + 1], 1)

    one, many = (Play(POLICIES[name], (1, 2, 3), 2, model=Wide()) for _ in range(2))
    check_same(one.one_call(), many.many_calls())


@pytest.mark.parametrize("shadow", ["cached", "full"])
@every_policy
def test_true_errors_are_those_of_the_first_branch(name, shadow):
    one, many = (Play(POLICIES[name], (1, 2, 3), 2, shadow=shadow) for _ in range(2))
    check_same(one.one_call(), many.many_calls())
    assert None not in one.record.column("reuse_error", 1)[1:]


def test_the_model_runs_as_many_rows():
    models = Curved(), Curved()
    one, many = (Play(POLICIES["threshold"], (1, 2, 3), 2, model=model) for model in models)
    one.one_call(), many.many_calls()
    assert sum(models[0].rows) == sum(models[1].rows) == 2 * sum(map(len, one.schedules))
