"""Shadow mode in every form a call can take: batches, lists, containers, further channels, a scheduler gone astray."""

import pytest
import torch
from tests.engine.toys.curves import Wavy, latents
from tests.engine.toys.engines import Custom, engine_for, ramp
from tests.engine.toys.gates import Every, told
from tests.engine.toys.shadows import BOTH, EVERY_THIRD

from navicache.engine import StorageOptions
from navicache.policies import NaviCache, OutputHold, Static


def batch(shadow, samples=(0, 1, 2), steps=16):
    """Samples that compute at different steps: what came out, the record, and what the model really gives."""
    now = {"index": 0, "name": None}
    cached = engine_for(Wavy(), NaviCache(threshold=0.25, align_steps=2), describe_call=told(now), shadow=shadow)
    outputs, truths = [], []
    for i in range(steps):
        now["index"] = i
        x = torch.cat([latents(s, steps)[i] for s in samples])
        arguments = (x, torch.full((len(x),), float(steps - i)), torch.zeros(len(x), 3))
        outputs.append(cached(*arguments))
        truths.append(Wavy()(*arguments))
    return outputs, cached.engine.trace.runs[-1], truths


def test_each_sample_of_a_batch_has_its_own_true_error():
    plain, real, truths = batch(None)
    outputs, record, _ = batch("cached")
    full, other, _ = batch("full")
    mixed = 0
    for i, truth in enumerate(truths):
        assert torch.equal(outputs[i], plain[i])
        assert torch.equal(full[i], truth)
        reused = [sample for sample in range(3) if i not in real.computed_steps(sample)]
        mixed += 0 < len(reused) < 3
        for sample in reused:
            error = (truth[sample] - plain[i][sample]).abs().mean() / truth[sample].abs().mean()
            for shade in (record, other):
                assert shade.column("reuse_error", sample)[i] == pytest.approx(error.item(), rel=1e-4)
    assert mixed > 2, "some calls must be partial"
    assert [s.computed for s in record.steps] == [s.computed for s in other.steps] == [s.computed for s in real.steps]


@BOTH
def test_lists_of_latents(shadow):
    def model(x, t):
        return [2 * chunk for chunk in x]

    policy = NaviCache(threshold=0.3, align_steps=2, last_step=False)
    cached = engine_for(model, policy, shadow=shadow)
    for i in range(10):
        outputs = cached([torch.full((2, 3), 10.0 - i), torch.full((2, 5), 20.0 - 2 * i)], 10.0 - i)
        assert [output.shape for output in outputs] == [(2, 3), (2, 5)]
    record = cached.engine.trace.runs[-1]
    assert record.samples == 2
    # Sample 1 is twice sample 0, so all is the same relative to it. Computed at 1 with x = 9: x = 8 is off by 1 of 16.
    for sample in (0, 1):
        assert not record.steps_of(sample)[2].computed
        assert record.column("reuse_error", sample)[2] == pytest.approx(1 / 16)


@BOTH
def test_only_the_latent_channels_are_compared(shadow):
    policy = Static(interval=2, last_step=False)
    cached = engine_for(lambda x, t: torch.cat([2 * x, torch.full_like(x, 1e3 * t)], 1), policy, shadow=shadow)
    outputs = [cached(torch.full((1, 4, 2), 10.0 - i), 10.0 - i) for i in range(4)]
    (record,) = cached.engine.trace.runs
    assert record.column("reuse_error")[1] == pytest.approx(1 / 18)
    assert outputs[1][0, 4, 0].item() == (10e3 if shadow == "cached" else 9e3)


@pytest.mark.parametrize("wrap", [lambda y: (y,), lambda y: {"sample": y, "n": 3}])
@BOTH
def test_containers_and_kept_dtypes(wrap, shadow):
    cached = engine_for(lambda x, t: wrap(2 * x), EVERY_THIRD, shadow=shadow, keep=StorageOptions(torch.bfloat16))
    outputs = [cached(x, 10.0 - i) for i, x in enumerate(ramp(10))]
    assert len({type(output) for output in outputs}) == 1
    assert cached.engine.trace.runs[0].column("reuse_error")[1] == pytest.approx(1 / 18)


@BOTH
def test_a_model_may_write_to_its_input(shadow):
    def model(x, t):
        y = 2 * x
        x.zero_()
        return y

    cached = engine_for(model, EVERY_THIRD, shadow=shadow)
    for i, x in enumerate(ramp(10)):
        cached(x, 10.0 - i)
    assert cached.engine.trace.runs[0].column("reuse_error")[1] == pytest.approx(1 / 18)


@BOTH
def test_a_scheduler_that_stands_still_later_moves_no_error(shadow):
    told_indices, now = [0, 1, 2, 3, 4, 4, 4, 4, 4, 4], {"index": 0, "name": None}
    cached = engine_for(lambda x, t: 2 * x, EVERY_THIRD, describe_call=told(now), shadow=shadow)
    for i, x in enumerate(ramp(10)):
        now["index"] = told_indices[i]
        cached(x, 10.0 - i)
    (record,) = cached.engine.trace.runs
    truth = [1 / 18, 2 / 16, None, 1 / 12, 2 / 10, None, 1 / 6, 2 / 4]
    assert record.computed_steps() == (0, 3, 6, 9)
    assert [record.column("reuse_error")[i] if i % 3 else None for i in range(1, 9)] == pytest.approx(truth)


@BOTH
def test_streams_that_decide_for_themselves_are_measured_each(shadow):
    policy = Custom(Every(steps=(0, 1), streams="each"), OutputHold())
    now = {"index": 0, "name": ""}
    cached = engine_for(lambda x, t, scale: x * scale, policy, describe_call=told(now), shadow=shadow)
    for i, x in enumerate(ramp(4)):
        for name, scale in (("cond", 2.0), ("uncond", 3.0)):
            now.update(index=i, name=name)
            cached(x, 1.0, scale)
    (record,) = cached.engine.trace.runs
    for name in ("cond", "uncond"):  # x = 3 is held where x = 2 and x = 1 are true
        assert record.column("reuse_error", stream=name)[2:] == pytest.approx((1 / 2, 2 / 1))
