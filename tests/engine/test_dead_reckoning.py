"""Dead reckoning through the engine: a line is carried on, a jump is held."""

import pytest
import torch
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told
from tests.engine.toys.lines import STEPS, errors, line, run
from torch import Tensor

import navicache
from navicache.policies import DeadReckoning, OutputHold, PolynomialExtrapolation


def damping(cache) -> float:
    """What the leading sample believes."""
    (decider,) = cache._attachments[""].engine.run.deciders.by_stream.values()
    return decider.predictor_states[0].damping.mean


def test_a_straight_output_is_predicted_exactly_and_mostly_reused():
    cache = navicache.enable(line, "inertial", threshold=0.01, steps=STEPS)
    outputs = run(cache)
    size = torch.stack(outputs).abs().mean().item()
    assert max(errors(outputs, line)) < 1e-6 * size
    (record,) = cache.trace.runs
    assert record.computed < STEPS / 3
    assert record.computed_steps()[:3] == (0, 1, 2)
    # In alignment the first guess is the output held, the others are right; so later on is every compute's.
    assert record.column("reuse_error")[1] > 0.01
    assert max(e for e in record.column("reuse_error")[2:] if e is not None) < 1e-6


@pytest.mark.parametrize(
    ("predictor", "exact_from"),
    [(DeadReckoning(), 2), (PolynomialExtrapolation(1), 2), (PolynomialExtrapolation(2), 3)],
)
@pytest.mark.parametrize("steps", [(0, 1, 2, 3, 9, 11, 24), (0, 1, 2, 7, 8, 20, 26, 27, 28)])
def test_a_straight_output_whatever_the_gaps(predictor, exact_from, steps):
    cached = engine_for(line, Custom(Told(steps=steps), predictor))
    outputs = run(cached)
    assert max(errors(outputs, line)[exact_from:]) < 1e-4
    assert cached.engine.trace.runs[0].computed_steps() == steps


def test_a_parabola_is_predicted_exactly_by_a_taylor_of_degree_two():
    def parabola(x, t):
        return line(x, t) + 2 * (STEPS - t) ** 2

    for predictor, exact in ((PolynomialExtrapolation(2), True), (PolynomialExtrapolation(1), False)):
        cached = engine_for(parabola, Custom(Told(steps=(0, 1, 2, 3, 9, 11, 24)), predictor))
        assert (max(errors(run(cached), parabola)[3:]) < 1e-2) == exact


class Jumps:
    """A random walk: what comes next has nothing to do with what came before."""

    def __init__(self, seed: int, rest: float = 0.0) -> None:
        generator = torch.Generator().manual_seed(seed)
        steps = torch.randn(STEPS + 1, 4, 1024, generator=generator)
        self.outputs = 3 + (steps if rest else steps.cumsum(0))

    def __call__(self, x: Tensor, t: float) -> Tensor:
        return self.outputs[round(STEPS - t)].expand(x.shape)


@pytest.mark.parametrize("rest", [False, True], ids=["random walk", "white noise"])
def test_where_the_output_jumps_it_is_no_worse_than_holding_it(rest):
    """White noise swings: there a point between two outputs is nearer than either."""
    shape = (1, 4, 32, 32)

    def model(x, t, jumps=Jumps(0, rest)):  # noqa: B008
        return jumps(x.flatten(2), t).reshape(shape)

    # White noise is as far from the reference after one step as after ten, so any tolerance beyond that will do.
    cache = navicache.enable(model, "inertial", threshold=40.0, align_steps=6, steps=STEPS)
    outputs = run(cache, shape, STEPS - 1)
    assert damping(cache) < 0.1
    computed = cache.trace.runs[0].computed_steps()
    assert 6 <= len(computed) < STEPS - 10
    held = run(engine_for(model, Custom(Told(steps=computed), OutputHold())), shape, STEPS - 1)
    ours, theirs = (sum(errors(each, model, shape)[8:]) for each in (outputs, held))
    assert ours < (0.95 if rest else 1.05) * theirs
    undamped = run(engine_for(model, Custom(Told(steps=computed), PolynomialExtrapolation(1))), shape, STEPS - 1)
    assert sum(errors(undamped, model, shape)[8:]) > 1.5 * theirs


@pytest.mark.parametrize("shape", [(1, 6), (1, 5, 6), (1, 6, 5), (1, 6, 2, 2), (1, 6, 2, 2, 2)])
def test_latents_of_any_dimensions(shape):
    cache = navicache.enable(lambda x, t: torch.sin(x / 40) + x, "inertial", threshold=0.02, steps=STEPS)
    outputs = run(cache, shape)
    assert 3 < cache.trace.runs[0].computed < STEPS
    assert all(output.shape == shape and output.isfinite().all() for output in outputs)
    assert damping(cache) == pytest.approx(1.0, abs=0.1), "nearly a line"


def test_stored_through_enable():
    outputs = {}
    for keep in ({}, {"keep_device": "cpu"}, {"keep_dtype": torch.bfloat16}):
        cache = navicache.enable(line, "inertial", threshold=0.01, steps=STEPS, **keep)
        outputs[str(keep)] = torch.stack(run(cache))
        assert cache.trace.runs[0].computed < STEPS / 2
    plain, cpu, rounded = outputs.values()
    assert torch.equal(plain, cpu)
    assert (plain - rounded).abs().max() < 8  # bfloat16 is off by one in 256, and 200 is carried on
