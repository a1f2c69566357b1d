"""Dead reckoning in batches: streams, branches, lists, and samples that compute at steps of their own."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from tests.engine.toys.batches import POLICIES, check_batch, every_policy, generation
from tests.engine.toys.curves import Curved, course
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told
from tests.engine.toys.lines import STEPS

from navicache.engine import StorageOptions
from navicache.policies import DeadReckoning, PolynomialExtrapolation


@every_policy
def test_a_batch_equals_its_samples_one_by_one(name):
    check_batch(POLICIES[name])


@every_policy
def test_two_streams_of_a_batch(name):
    check_batch(POLICIES[name], streams=("cond", "uncond"))


@every_policy
def test_branches_in_one_call(name):
    check_batch(POLICIES[name], branches=2)


@every_policy
def test_lists_of_rows_of_different_size(name):
    check_batch(POLICIES[name], listed=True)


@every_policy
def test_streams_are_predicted_each_from_its_own(name):
    """The first decides and learns for both; what is carried on is everyone's own."""
    both, record, _ = generation(POLICIES[name], [1], streams=("cond", "uncond"))
    alone, single, _ = generation(POLICIES[name], [1])
    assert record.computed_steps(stream="uncond") == record.computed_steps() == single.computed_steps()
    assert all(torch.equal(a[0], b[0]) for a, b in zip(both[::2], alone, strict=True))
    reused = sorted(set(range(24)) - set(single.computed_steps()))
    model, errors, apart = Curved(), [], []
    for i in reused:
        truth = model(course(1, i), torch.tensor([24.0 - i]), torch.full((1, 5), 0.5))
        errors.append((both[2 * i + 1][0] - truth[0]).abs().mean().item())
        apart.append((both[2 * i][0] - truth[0]).abs().mean().item())
    assert sum(errors) < 0.6 * sum(apart), "predicted from the other stream it would be that far off"


def test_partial_computes_keep_every_samples_own_references():
    """Straight lines at different speeds, computed at different steps: one wrong reference would show at once."""
    schedule = {0: (0, 1, 2, 9, 10, 20), 1: (0, 1, 5, 6, 14), 2: (0, 1, 2, 3, 17)}

    @dataclass(frozen=True)
    class Each(Told):
        rows: Any = "sample"

        def is_scheduled(self, step):
            return step.index in schedule[round(step.output_magnitude or 0) // 1000] if step.index > 1 else True

    def model(x, t):
        # A sample is known by the size of its output: 0, 1000 or 2000, and a little for its course.
        number = x[:, :1, :1] // 100
        return number * 1000 + (STEPS - t.reshape(-1, 1, 1)) * (number + 1) * torch.arange(1.0, 4.0).view(1, 3, 1) * 0.5

    for predictor in (
        DeadReckoning(),
        PolynomialExtrapolation(1),
        PolynomialExtrapolation(2),
        PolynomialExtrapolation(3),
    ):
        calls = []

        def counted(x, t, calls=calls):
            calls.append(len(x))
            return model(x, t).expand(x.shape)

        cached = engine_for(counted, Custom(Each(), predictor))
        for i in range(26):
            courses = [100.0 * sample + (i + 1) * (0.5 + 0.1 * sample) for sample in range(3)]
            x = torch.tensor(courses, dtype=torch.float64).reshape(3, 1, 1).expand(3, 3, 4).clone()
            t = torch.full((3,), float(STEPS - i))
            output = cached(x, t)
            error = (output - model(x, t)).abs().max().item()
            assert error < 1e-3, f"{predictor}, step {i}"
        record = cached.engine.trace.runs[-1]
        assert {sample: record.computed_steps(sample) for sample in range(3)} == schedule
        assert set(calls) == {1, 2, 3}


@every_policy
@pytest.mark.parametrize(
    ("keep", "tolerance"),
    [
        (StorageOptions(torch.bfloat16), 0.5),
        (StorageOptions(torch.float16), 0.05),
        (StorageOptions(device=torch.device("cpu")), 0.0),
    ],
    ids=["bfloat16", "float16", "cpu"],
)
def test_kept_tensors_can_be_stored_otherwise(name, keep, tolerance):
    plain, record, _ = generation(POLICIES[name], [1])
    # Rounding may tip a decision; so the steps are those of the run without it.
    predictor = POLICIES[name].schemes()[0].predictor
    told = Custom(Told(steps=record.computed_steps()), predictor, apart=True)
    exact, same, _ = generation(told, [1])
    kept, _, _ = generation(told, [1], keep=keep)
    assert same.computed_steps() == record.computed_steps()
    for a, b, c in zip(plain, exact, kept, strict=True):
        assert torch.equal(a[0], b[0])
        assert c[0].dtype == torch.float32
        assert (b[0] - c[0]).abs().max().item() <= tolerance
    rounded = any(not torch.equal(b[0], c[0]) for b, c in zip(exact, kept, strict=True))
    assert rounded == (keep.dtype is not None)
