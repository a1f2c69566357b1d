"""The engine on a model that doubles: every number can be worked out by hand."""

import pytest
import torch
from tests.engine.toys.engines import Doubler, engine_for, ramp

from navicache.engine import StorageOptions
from navicache.policies import EasyCache, NaviCache, Static


def run(cached, steps: int = 10, **extra):
    return [cached(x, float(steps - i), **extra) for i, x in enumerate(ramp(steps))]


def test_a_reuse_adds_the_held_residual():
    outputs = run(engine_for(Doubler(), Static(interval=3, last_step=False)))
    # Computed at 0, 3, 6, 9 with x = 10, 7, 4, 1; between, y = x + (y_j - x_j) = x + x_j.
    expected = [20, 19, 18, 14, 13, 12, 8, 7, 6, 2]
    assert [output[0, 0].item() for output in outputs] == expected


def test_an_output_hold_repeats_the_output():
    policy = NaviCache(threshold=1e9, align_steps=2, hold="output", last_step=False)
    outputs = run(engine_for(Doubler(), policy))
    assert [output[0, 0].item() for output in outputs] == [20, 18] + [18] * 8


def test_the_trace_holds_what_was_measured():
    cached = engine_for(Doubler(), EasyCache(threshold=0.3, align_steps=2, last_step=False))
    run(cached)
    (record,) = cached.engine.trace.runs
    # ratio 2 always; each step adds 2 * 1 / |y_j|. From y_1 = 18: 1/9, 2/9, 3/9 -> compute at step 4 (x = 6, y = 12):
    # 1/6, 1/3 -> compute at step 6 (x = 4, y = 8): 1/4, 1/2 -> step 8 (x = 2, y = 4): 1/2 -> step 9.
    assert record.computed_steps() == (0, 1, 4, 6, 8, 9)
    assert record.column("time") == tuple(float(10 - i) for i in range(10))
    assert record.column("input_change") == (None,) + (1.0,) * 9
    assert record.column("measured_ratio") == (None, 2, None, None, 2, None, 2, None, 2, 2)
    assert record.column("ratio") == (None, None) + (2.0,) * 8
    accumulated = [0, 0, 1 / 9, 2 / 9, 3 / 9, 1 / 6, 2 / 6, 1 / 4, 2 / 4, 1 / 2]
    assert record.column("accumulated") == pytest.approx(accumulated)
    # At step 4 the residual of step 1 (9) would have given 6 + 9 = 15 for 12: an error of a quarter.
    assert record.column("reuse_error")[4] == pytest.approx(0.25)
    assert record.column("output_change")[4] == pytest.approx(0.5)


def test_threshold_zero_returns_the_models_own_tensors():
    model = Doubler()
    cached = engine_for(model, NaviCache(threshold=0.0, align_steps=2))
    for plain, output in zip([2 * x for x in ramp(10)], run(cached), strict=True):
        assert torch.equal(plain, output)
    assert len(model.rows) == 10


@pytest.mark.parametrize(
    ("keep", "tolerance"),
    [(StorageOptions(torch.bfloat16), 0.1), (StorageOptions(device=torch.device("cpu")), 0.0), (StorageOptions(), 0.0)],
)
def test_kept_tensors_can_be_stored_otherwise(keep, tolerance):
    policy = Static(interval=3, last_step=False)
    plain, kept = run(engine_for(Doubler(), policy)), run(engine_for(Doubler(), policy, keep=keep))
    for a, b in zip(plain, kept, strict=True):
        assert b.dtype == torch.float32
        assert (a - b).abs().max().item() <= tolerance


def test_a_bfloat16_prediction_is_summed_in_float32():
    cached = engine_for(lambda x, t: x * 0 + 256.0, Static(interval=2, last_step=False))
    ones = torch.ones(1, 4, dtype=torch.bfloat16)
    cached(ones, 2.0)
    # 3 + (256 - 1) = 258 is a bfloat16; on the way there, neither 255 + 4 nor 256 + 3 would be.
    output = cached(ones * 3, 1.0)
    assert output.dtype == torch.bfloat16
    assert output[0, 0].item() == 258


def test_gradients_do_not_build_up():
    model = torch.nn.Linear(4, 4)
    cached = engine_for(lambda x, t: model(x), Static(interval=2, last_step=False))
    assert cached(torch.ones(1, 4), 3.0).requires_grad
    assert not cached(torch.ones(1, 4), 2.0).requires_grad
    kept = cached.engine.run.streams.by_name["0"].history[0]
    assert not any(chunk.requires_grad for rows in kept for chunk in rows)
