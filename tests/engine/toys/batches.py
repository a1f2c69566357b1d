"""A batch whose samples compute at different steps, against every sample alone."""

import pytest
import torch
from tests.engine.toys.curves import Curved, course
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import told

from navicache.policies import ErrorGate, Inertial, PolynomialExtrapolation

SAMPLES = (0, 1, 2, 3)
THRESHOLD = 0.03  # of the accumulated error: every sample computes some steps and reuses others
GATE = ErrorGate(threshold=THRESHOLD)
POLICIES = {
    "inertial": Inertial(threshold=THRESHOLD),
    "inertial from two": Inertial(threshold=THRESHOLD, align_steps=2),
    "inertial, no amends": Inertial(threshold=THRESHOLD, amends=False),
    "inertial, each step's error": Inertial(max_error=0.1),
    "parabola": Custom(GATE, PolynomialExtrapolation(2)),
    "cubic from two": Custom(GATE, PolynomialExtrapolation(3)),
}
every_policy = pytest.mark.parametrize("name", POLICIES)


def generation(policy, samples, *, streams=("cond",), branches: int = 1, listed: bool = False, steps: int = 24, **more):
    """A run of some samples; outputs are listed step by step and stream by stream."""
    model, now = Curved(), {"index": 0, "name": ""}
    cached = engine_for(model, policy, describe_call=told(now, steps), **more)
    outputs = []
    for i in range(steps):
        x = torch.cat([course(sample, i) for sample in samples] * branches)
        t = torch.full((len(x),), float(steps - i))
        for number, name in enumerate(streams):
            now.update(index=i, name=name)
            texts = torch.tensor([0.3 * b + 0.5 * number for b in range(branches) for _ in samples])
            context = texts.reshape(-1, 1).expand(-1, 5)
            if listed:
                rows = [row.repeat(1, 1 + sample % 2, 1) for row, sample in zip(x, samples, strict=True)]
                outputs.append(list(cached(rows, t, list(context))))
            else:
                outputs.append(list(cached(x, t, context)))
    return outputs, cached.engine.trace.runs[-1], model


def check_batch(policy, **how):
    """Every sample as if it were alone."""
    branches = how.get("branches", 1)
    together, record, model = generation(policy, SAMPLES, **how)
    assert record.samples == len(SAMPLES)
    schedules = []
    for position, sample in enumerate(SAMPLES):
        alone, single, _ = generation(policy, [sample], **how)
        assert record.computed_steps(position) == single.computed_steps()
        schedules.append(single.computed_steps())
        for batch, one in zip(together, alone, strict=True):
            for branch in range(branches):
                torch.testing.assert_close(batch[position + branch * len(SAMPLES)], one[branch], rtol=1e-5, atol=1e-5)
    assert len(set(schedules)) > 1, "the samples must not all agree, or the test shows nothing"
    assert any(0 < rows < len(SAMPLES) * branches for rows in model.rows), "some calls must be partial"
    assert all(len(schedule) < record.length for schedule in schedules)
