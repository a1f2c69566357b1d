"""Per-sample decisions in a batch: gather, run, scatter."""

import pytest
import torch
from tests.engine.toys import engine_for
from torch import nn

from navicache.engine import Host
from navicache.engine.tensors.containers import select
from navicache.engine.tensors.layout import candidates
from navicache.policies import NaviCache

POLICY = NaviCache(threshold=0.25, align_steps=2)


class Curved(nn.Module):
    """A nonlinear model, so that samples of different size need computing at different steps."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def forward(self, x, t, context, rope=None, extra=None):
        self.rows.append(x.shape[0])
        assert rope is None or rope[0].shape == (7, 2)
        assert extra is None or extra["mask"].shape[0] == x.shape[0]
        return torch.sin(x * 0.7) * x + context.mean(-1, keepdim=True) + t.reshape(-1, 1) * 0.1


def latents(sample: int, steps: int = 16) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(sample)
    start, slope = torch.randn(1, 6, generator=generator) * 3, torch.randn(1, 6, generator=generator) * (0.1 + sample)
    return [start + slope * i / steps for i in range(steps)]


def run(samples: list[int], branches: int = 1, interleaved: bool = False, steps: int = 16):
    model = Curved()
    now = {"index": 0}
    cached = engine_for(model, POLICY, surroundings=lambda: Host(index=now["index"], total=steps, token=now))
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
    model = Curved()
    now = {"index": 0}
    cached = engine_for(model, POLICY, surroundings=lambda: Host(index=now["index"], total=12, token=now))
    for i in range(12):
        now["index"] = i
        x = torch.cat([torch.ones(1, 6), torch.ones(1, 6) + 0.3 * i])  # equal only at the first step
        cached(x, torch.full((2,), 12.0 - i), torch.zeros(2, 3))
    record = cached.engine.trace.runs[-1]
    assert record.samples == 2
    assert record.computed_steps(0) != record.computed_steps(1)


def test_rows_call_takes_one_decision():
    cached = engine_for(Curved(), NaviCache(threshold=0.25, align_steps=2, rows="call"))
    for i in range(16):
        x = torch.cat([latents(s)[i] for s in (0, 1, 2)])
        cached(x, torch.full((3,), 16.0 - i), torch.zeros(3, 3))
    assert cached.engine.trace.runs[-1].samples == 1


def test_candidate_layouts_are_partitions():
    for rows in range(2, 13):
        for layout in candidates(rows):
            assert sorted(row for sample in layout for row in sample) == list(range(rows))
            assert len({len(sample) for sample in layout}) == 1


def test_every_argument_with_the_batch_first_follows_and_others_do_not():
    batch = torch.arange(12.0).reshape(3, 4)
    shared = torch.zeros(5, 3)
    value = {"a": [batch, shared], "b": (shared, batch), "c": 3, "d": None}
    chosen = select(value, 3, [0, 2], listed=False)
    assert torch.equal(chosen["a"][0], batch[[0, 2]])
    assert chosen["a"][1] is shared
    assert chosen["b"][0] is shared
    assert torch.equal(chosen["b"][1], batch[[0, 2]])
    assert chosen["c"] == 3


def test_lists_are_picked_from_where_the_latent_is_a_list():
    texts = [torch.zeros(7, 2), torch.zeros(9, 2), torch.ones(3, 2)]
    assert [t.shape[0] for t in select(texts, 3, [0, 2], listed=True)] == [7, 3]
    assert len(select(texts, 3, [0, 2], listed=False)) == 3
