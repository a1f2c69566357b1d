"""`max_error` bounds every output that is predicted: the worst one decides, within the one transfer of a step."""

import pytest
import torch
from tests.engine.toys.joint import runs, sound
from tests.engine.toys.lines import STEPS, line

from navicache.policies import Inertial

LIMIT = 0.05
BOUNDED = Inertial(max_error=LIMIT)


def swinging(x, t):
    """It comes back to where it was every 44 steps."""
    return 3 + torch.sin(torch.tensor((STEPS - float(t)) / 7)) * torch.ones(x.shape[0], 3)


def joint(x, t):
    return line(x, t), swinging(x, t), torch.tensor([round(t)])


def list_errors(run, sample=0):
    return [step.other_errors["1"] for step in run.steps_of(sample) if not step.computed]


def test_the_worse_second_output_stays_within_the_limit():
    """The first output is a line, which alone is reused throughout."""
    _, _, engine = runs(joint, BOUNDED, shadow="cached")
    (run,) = engine.trace.runs
    errors = list_errors(run)
    assert len(errors) > 5
    assert max(errors) <= LIMIT
    assert sum(step.reason == "error of output 1" for step in run.steps if step.computed) > 2
    _, _, engine = runs(lambda x, t: line(x, t), BOUNDED)
    alone = engine.trace.runs[0]
    assert alone.computed < run.computed
    assert any(run.steps[i].computed and not alone.steps[i].computed for i in range(STEPS))


def test_a_threshold_still_follows_the_first_output_alone():
    _, _, engine = runs(joint, Inertial(threshold=LIMIT), shadow="cached")
    (run,) = engine.trace.runs
    assert max(list_errors(run)) > LIMIT
    assert {step.reason for step in run.steps} == {"align", "gate", "last step"}


def test_outputs_that_are_held_are_not_asked():
    """A constant has no error, and a count is no prediction: neither changes a decision."""
    model = lambda x, t: (line(x, t), torch.zeros(1, 3), torch.full((1, 2), 7.0), torch.tensor([round(t)]))  # noqa: E731
    _, _, engine = runs(model, BOUNDED)
    _, _, alone = runs(lambda x, t: line(x, t), BOUNDED)
    assert engine.trace.runs[0].computed_steps() == alone.trace.runs[0].computed_steps()


def test_an_output_that_changes_its_shape_is_asked_no_more():
    """It is held from there on: no prediction of it can be off."""
    _, _, engine = runs(lambda x, t: (line(x, t), swinging(x, t)[:, : 3 if t > 25 else 2]), BOUNDED)
    (run,) = engine.trace.runs
    changed = next(step.index for step in run.steps if step.computed and step.time <= 25)
    asked = [step.index for step in run.steps if step.reason == "error of output 1"]
    assert len(asked) > 1 and max(asked) <= changed
    assert run.length > changed + 10


def test_each_sample_has_its_own_bound():
    """The sound of sample 1 is a line and that of sample 0 is not: only sample 0 computes for it."""

    def model(x, t):
        return line(x, t), torch.cat([swinging(x, t)[:1], sound(x, t)[1:]])

    _, _, engine = runs(model, BOUNDED, rows=2, shadow="cached")
    (run,) = engine.trace.runs
    assert max(list_errors(run, 0) + list_errors(run, 1)) <= LIMIT
    reasons = [[step.reason for step in run.steps_of(sample)].count("error of output 1") for sample in range(2)]
    assert reasons[0] > 2
    assert run.computed_steps(0) != run.computed_steps(1)


@pytest.mark.parametrize("rows", [1, 2])
def test_no_transfer_is_added(rows, transfers):
    runs(lambda x, t: line(x, t), BOUNDED, rows=rows)
    count = len(transfers)
    _, _, engine = runs(lambda x, t: (line(x, t), swinging(x, t)), BOUNDED, rows=rows)
    assert len(transfers) == 2 * count
    assert count <= STEPS + 1
    assert engine.trace.runs[0].computed < rows * STEPS
