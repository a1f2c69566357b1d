"""Times that count betas are told from a flow's, and linear betas from others by the early way of the input."""

import itertools
import math

import pytest
import torch

import navicache
from navicache.policies import Inertial, Outcome, Step
from navicache.policies.budget import BudgetGate, build_schedule
from navicache.policies.noise_levels import build_shifted_levels, choose_betas_shift, counts_betas

SPACINGS = {
    "linspace": lambda total: [round(999 - 999 * step / (total - 1)) for step in range(total)],
    "leading": lambda total: [(total - 1 - step) * (1000 // total) + 1 for step in range(total)],
    "leading, from 0": lambda total: [(total - 1 - step) * (1000 // total) for step in range(total)],
    "trailing": lambda total: [round(1000 - step * 1000 / total) - 1 for step in range(total)],
}
FLOWS = {
    "even": lambda part: 1000 * part,
    "of one": lambda part: part,
    "whole numbers, shift 5": lambda part: int(5000 * part / (1 + 4 * part)),
    "shift 3": lambda part: 3000 * part / (1 + 2 * part),
    "steps left": lambda part: round(50 * part),
    "root": lambda part: round(1000 * part**0.5),
}


@pytest.mark.parametrize("total", [4, 8, 10, 20, 30, 50, 100])
@pytest.mark.parametrize("spacing", SPACINGS)
def test_indices_of_betas_are_known_at_the_second_time_and_from_then_on(spacing, total):
    times = SPACINGS[spacing](total)
    assert all(counts_betas(1, float(times[1]), step, float(times[step]), total) for step in range(2, total))


@pytest.mark.parametrize("flow", FLOWS)
def test_the_times_of_a_flow_are_none(flow):
    times = [float(FLOWS[flow](1 - step / 50)) for step in range(50)]
    assert not any(counts_betas(1, times[1], step, times[step], 50) for step in range(2, 50))


@pytest.mark.parametrize("times", [(500.0, 500.0), (500.0, 600.0), (500.5, 480.5), (4.0, math.nan), (math.inf, 3.0)])
def test_other_times_are_none(times):
    assert not counts_betas(1, times[0], 2, times[1], 50)


def list_alphas(betas):
    return list(itertools.accumulate((1 - beta for beta in betas), lambda one, other: one * other))


LINEAR = list_alphas([1e-4 + (0.02 - 1e-4) * index / 999 for index in range(1000)])
COSINE = [math.cos((index + 1) / 1001 * math.pi / 2) ** 2 for index in range(1000)]


def run_ddim(kept, policy=None, samples=1, total=50, spread=0.5):
    """Draw from a normal distribution whose best noise prediction is known; returns its trace and result."""

    def predict(x, time):
        rest = kept[int(time[0])]
        return x * (1 - rest) ** 0.5 / (rest * spread**2 + 1 - rest) + 0.02 * torch.sin(8 * x)

    x = torch.randn(samples, 4, 6, 6, generator=torch.Generator().manual_seed(0))
    times = SPACINGS["linspace"](total)
    cache = navicache.enable(predict, policy, steps=total)
    for time, following in zip(times, [*times[1:], None], strict=True):
        noise, rest = cache(x, torch.full((samples,), time)), kept[time]
        after = 1.0 if following is None else kept[following]
        x = (after / rest) ** 0.5 * (x - (1 - rest) ** 0.5 * noise) + (1 - after) ** 0.5 * noise
    return cache.trace.runs[0]


@pytest.mark.parametrize(("kept", "pace"), [(LINEAR, 0.1), (COSINE, 1.0)])
@pytest.mark.parametrize("speedup", [2.0, 2.4, 50 / 17, 4.0])
def test_a_run_follows_the_shift_of_its_betas(kept, pace, speedup):
    steps = run_ddim(kept, Inertial(speedup=speedup)).computed_steps()
    budget = round(50 / speedup)
    levels = build_shifted_levels(50, choose_betas_shift(pace))
    assert steps == tuple(sorted(build_schedule(levels, budget, BudgetGate(speedup=1.0).count_first_steps(budget))))


@pytest.mark.parametrize("speedup", [2.0, 3.0, 50 / 9])
def test_the_budget_of_every_sample_is_exact(speedup):
    run = run_ddim(LINEAR, Inertial(speedup=speedup), samples=3)
    counts = {len(run.computed_steps(sample=sample)) for sample in range(3)}
    assert counts == {round(50 / speedup)}


def test_a_way_seen_late_tells_nothing():
    """Late in the run the input moves faster under linear betas too."""
    gate, state = BudgetGate(speedup=5.0), BudgetGate(speedup=5.0).init()
    times = SPACINGS["linspace"](50)
    for step in (0, 1, 5, 12, 30):
        _, state = gate.decide(state, Step(step, step, total=50, time=float(times[step])))
        change = 0.1 * step if step == 30 else 0.002 * step
        state = gate.learn(state, Outcome(step, step, total=50, input_change=change, output_magnitude=0.8))
    assert state.pace == pytest.approx(0.002 * (1 + 5 + 12) / 0.8 / (12 / 50))
