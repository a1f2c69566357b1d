"""A generation with guidance branches: all of them rows of one call, or a call each."""

from itertools import product

import pytest
import torch
from tests.engine.toys.curves import Curved, course
from tests.engine.toys.engines import engine_for
from tests.engine.toys.gates import told

STEPS = 24
SHOWN = ("ratio", "accumulated", "predicted_change", "reuse_error", "output_change", "measured_ratio")


class Play:
    """A generation of some samples and branches; `outputs[step][sample][branch]`."""

    def __init__(self, policy, samples, branches, *, model=None, form=lambda sample, x: x, listed=False, **more):
        self.samples, self.branches, self.form, self.listed = samples, branches, form, listed
        self.now = {"index": 0, "name": ""}
        self.cached = engine_for(model or Curved(), policy, describe_call=told(self.now, STEPS), **more)
        self.outputs = []

    def call(self, i, name, pairs):
        """The rows of one call, which are (sample, branch) pairs."""
        self.now.update(index=i, name=name)
        rows = [self.form(sample, course(sample, i)[0]) for sample, _ in pairs]
        texts = torch.tensor([[0.7 * branch - 0.4] for _, branch in pairs]).expand(-1, 5)
        time = torch.full((len(rows),), float(STEPS - i))
        arguments = (rows, time, list(texts)) if self.listed else (torch.stack(rows), time, texts)
        return dict(zip(pairs, self.cached(*arguments), strict=True))

    def one_call(self, interleaved=False):
        whole = [(s, b) for b, s in product(range(self.branches), self.samples)]
        pairs = sorted(whole) if interleaved else whole
        return self._play(lambda i: self.call(i, "all", pairs))

    def many_calls(self):
        def step(i):
            calls = [self.call(i, f"branch {b}", [(s, b) for s in self.samples]) for b in range(self.branches)]
            return {pair: row for call in calls for pair, row in call.items()}

        return self._play(step)

    def _play(self, step):
        for i in range(STEPS):
            given = step(i)
            self.outputs.append([[given[s, b] for b in range(self.branches)] for s in self.samples])
        self.record = self.cached.engine.trace.runs[-1]
        return self

    @property
    def schedules(self):
        return [self.record.computed_steps(sample) for sample in range(len(self.samples))]


def check_same(one, many, tolerance=1e-5):
    """The same decisions for the same reasons, and the same outputs."""
    assert one.record.samples == many.record.samples == len(one.samples)
    assert one.schedules == many.schedules
    assert all(3 <= len(schedule) < STEPS - 4 for schedule in one.schedules), "both computes and reuses"
    lead = one.record.streams[0], many.record.streams[0]
    for sample, field in product(range(len(one.samples)), ("reason", *SHOWN)):
        left, right = (play.record.column(field, sample, stream=s) for play, s in zip((one, many), lead, strict=True))
        numbers = {i: value for i, value in enumerate(right) if not isinstance(value, str | None)}
        assert [left[i] for i in numbers] == pytest.approx([*numbers.values()], rel=1e-3, abs=max(tolerance, 1e-4)), (
            field
        )
        others = [i for i in range(len(right)) if i not in numbers]
        assert [left[i] for i in others] == [right[i] for i in others], field
    for i, (left, right) in enumerate(zip(one.outputs, many.outputs, strict=True)):
        for a, b in zip(sum(left, []), sum(right, []), strict=True):
            torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, msg=lambda text, i=i: f"step {i}: {text}")
