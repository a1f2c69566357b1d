"""Per-sample decisions in a batch: gather, run, scatter."""

import pytest
import torch
from tests.engine.toys.curves import Wavy, latents
from tests.engine.toys.engines import engine_for

from navicache.engine import CallFacts
from navicache.policies import NaviCache

POLICY = NaviCache(threshold=0.25, align_steps=2)


def run(samples: list[int], branches: int = 1, interleaved: bool = False, steps: int = 16):
    model = Wavy()
    now = {"index": 0}
    cached = engine_for(model, POLICY, describe_call=lambda: CallFacts(index=now["index"], total=steps, run_token=now))
    contexts = torch.arange(float(branches)).reshape(-1, 1, 1) + torch.tensor(samples).reshape(1, -1, 1) * 0.5
    contexts = contexts.expand(-1, -1, 3)
    flat = (contexts.transpose(0, 1) if interleaved else contexts).reshape(-1, 3)
    outputs = []
    for i in range(steps):
        now["index"] = i
        x = torch.cat([latents(s, steps)[i] for s in samples])
        x = x.repeat_interleave(branches, 0) if interleaved else torch.cat([x] * branches)
        t = torch.full((len(x),), float(steps - i))
        outputs.append(cached(x, t, flat, rope=(torch.zeros(7, 2),) * 2, extra={"mask": torch.ones(len(x), 5)}))
    return outputs, cached.engine.trace.runs[-1], model


@pytest.mark.parametrize("branches", [1, 2, 3])
@pytest.mark.parametrize("interleaved", [False, True])
def test_a_batch_equals_its_samples_one_by_one(branches, interleaved):
    samples = [0, 1, 2]
    outputs, record, model = run(samples, branches, interleaved)
    assert record.samples == len(samples)
    schedules = []
    for position, sample in enumerate(samples):
        alone, single, _ = run([sample], branches, interleaved)
        rows = (
            range(position * branches, (position + 1) * branches)
            if interleaved
            else range(position, len(samples) * branches, len(samples))
        )
        for batch, one in zip(outputs, alone, strict=True):
            assert torch.allclose(batch[list(rows)], one, atol=1e-5)
        assert record.computed_steps(position) == single.computed_steps()
        schedules.append(single.computed_steps())
    assert len(set(schedules)) > 1, "the samples must not all agree, or the test shows nothing"
    assert any(0 < rows < len(samples) * branches for rows in model.rows), "some calls must be partial"
    assert sum(model.rows) == branches * sum(map(len, schedules))


def test_samples_from_the_same_noise_are_told_apart_from_guidance():
    model = Wavy()
    now = {"index": 0}
    cached = engine_for(model, POLICY, describe_call=lambda: CallFacts(index=now["index"], total=12, run_token=now))
    for i in range(12):
        now["index"] = i
        x = torch.cat([torch.ones(1, 6), torch.ones(1, 6) + 0.3 * i])  # equal only at the first step
        cached(x, torch.full((2,), 12.0 - i), torch.zeros(2, 3))
    record = cached.engine.trace.runs[-1]
    assert record.samples == 2
    assert record.computed_steps(0) != record.computed_steps(1)


def test_rows_call_takes_one_decision():
    cached = engine_for(Wavy(), NaviCache(threshold=0.25, align_steps=2, rows="call"))
    for i in range(16):
        x = torch.cat([latents(s)[i] for s in (0, 1, 2)])
        cached(x, torch.full((3,), 16.0 - i), torch.zeros(3, 3))
    assert cached.engine.trace.runs[-1].samples == 1
