"""Guidance branches in one call where something is not as usual."""

import math

import pytest
import torch
from tests.engine.toys.branched import STEPS, Play
from tests.engine.toys.curves import Curved
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told
from tests.engine.toys.lines import latent, line

from navicache.policies import DeadReckoning, ErrorGate, Inertial, Schedule

LISTED_STEPS = (0, 1, 2, 5, 8, 12, 16, 20)


class Spoilt(Curved):
    """One branch of the second sample is useless at one step."""

    def __init__(self, step: int, branch: int, bad: float) -> None:
        super().__init__()
        self.step, self.branch, self.bad = step, branch, bad

    def forward(self, x, t, context):
        output = super().forward(x, t, context)
        hit = (t == STEPS - self.step) & ((context[:, 0] - (0.7 * self.branch - 0.4)).abs() < 1e-3)
        hit &= (x.flatten(1) == x[1].flatten()).all(1)
        output[hit, 0, 0, 0] = self.bad
        return output


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("step", [0, 1, 2, 5, 12])
@pytest.mark.parametrize("branch", [0, 1, 2], ids=["first", "second", "third"])
def test_a_useless_row_makes_its_sample_compute_again_and_is_never_carried_on(branch, step, bad):
    model = Spoilt(step, branch, bad)
    play = Play(Schedule(at=LISTED_STEPS), (1, 2, 3), 3, model=model).one_call()
    broken = [
        (i, sample, row)
        for i, samples in enumerate(play.outputs)
        for sample, rows in enumerate(samples)
        for row, output in enumerate(rows)
        if not output.isfinite().all()
    ]
    assert broken == [(step, 1, branch)], "only the useless answer itself"
    assert play.schedules[0] == play.schedules[2] == LISTED_STEPS, "the other samples have nothing to do with it"
    assert play.schedules[1] == tuple(sorted({*LISTED_STEPS, step + 1}))
    assert "NaN or infinite" in " ".join(play.record.notes)
    for states in play.cached.engine.run.streams.difference_predictors.states.values():
        assert math.isfinite(states[1].damping.mean)


def test_a_batch_of_different_samples_has_no_branches():
    """Each is predicted as if it were alone, and makes amends of its own."""
    policy = Inertial(threshold=0.03)
    together = Play(policy, (1, 2, 3), 1).one_call()
    streams = together.cached.engine.run.streams
    assert (streams.branch_differences, streams.difference_predictors.states) == (None, {})
    for position, sample in enumerate((1, 2, 3)):
        alone = Play(policy, (sample,), 1).one_call()
        assert together.schedules[position] == alone.schedules[0]
        for batch, one in zip(together.outputs, alone.outputs, strict=True):
            torch.testing.assert_close(batch[position][0], one[0][0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("samples", [(1,), (1, 2)])
def test_one_decision_a_call_leaves_all_rows_to_one_damping(samples):
    """As without differences: the same bits, and nobody makes amends."""
    given = Play(Inertial(threshold=0.03, last_step=False, rows="call"), samples, 2).one_call()
    plain = Custom(ErrorGate(threshold=0.03, rows="call"), DeadReckoning(), align_steps=3)
    expected = Play(plain, samples, 2)
    expected.one_call()
    streams = given.cached.engine.run.streams
    assert (streams.branch_differences, streams.difference_predictors.states) == (None, {})
    assert given.record.samples == 1
    assert given.record.computed_steps() == expected.record.computed_steps()
    assert 3 < given.record.computed < STEPS
    for left, right in zip(given.outputs, expected.outputs, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(sum(left, []), sum(right, []), strict=True))


def test_a_branch_whose_difference_jumps_is_held_while_the_first_goes_on():
    """One damping for both rows would carry the jumps on with the line."""

    def model(x, t):
        jump = torch.randn(x.shape[1:], generator=torch.Generator().manual_seed(int(t)))
        return torch.stack([line(x[:1], t)[0], line(x[1:], t)[0] + jump])

    steps, errors = (0, 1, *range(2, 40, 3)), {}
    for rows in ("sample", "call"):
        cached = engine_for(model, Custom(Told(rows, steps=steps), DeadReckoning(), apart=True))
        misses = [cached(latent(i, (2, 4, 8)), 40.0 - i) - model(latent(i, (2, 4, 8)), 40.0 - i) for i in range(40)]
        errors[rows] = torch.stack(misses)[2:].abs().mean((0, 2, 3))
    assert errors["sample"][0] < 1e-3
    assert errors["call"][0] > 1e-3
    assert errors["sample"][1] < 0.75 * errors["call"][1]


@pytest.mark.parametrize("steps", [(0, 1, 2, 6, 7, 15), (0, 1, 2, 3, 9, 11)])
def test_branches_in_two_calls_of_two_rows(steps):
    """Four lines, each in a row of its own: led by the first of them, all are predicted exactly."""
    now = {"index": 0, "name": ""}

    def model(x, t):
        return line(x, t) + t * torch.tensor([1.0, 4.0]).view(2, 1, 1) * (3 if now["name"] == "b" else 1)

    policy = Custom(Told("sample", steps=steps), DeadReckoning(), apart=True)
    cached = engine_for(model, policy, describe_call=told(now, 40))
    for i in range(20):
        for name in ("a", "b"):
            now.update(index=i, name=name)
            x = latent(i, (2, 4, 8))
            output, truth = cached(x, 40.0 - i), model(x, 40.0 - i)
            if i > 1:
                torch.testing.assert_close(output, truth, rtol=0, atol=1e-2, msg=lambda text: f"{now}: {text}")
    assert cached.engine.trace.runs[-1].computed_steps(stream="b") == steps
