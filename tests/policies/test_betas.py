"""Times that count betas are told from a flow's, and a shift stands for them that grows with the speed-up."""

import itertools
import math

import pytest
import torch
from tests.policies.computed import computed_steps

import navicache
from navicache.policies import Inertial
from navicache.policies.budget import BudgetGate, build_schedule
from navicache.policies.noise_levels import build_shifted_levels, counts_betas, scale_betas_shift

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


@pytest.mark.parametrize("kept", [LINEAR, COSINE])
@pytest.mark.parametrize("speedup", [2.0, 50 / 22, 2.5, 4.0])
def test_a_run_follows_the_shift_of_its_speedup_whatever_its_betas(kept, speedup):
    steps = run_ddim(kept, Inertial(speedup=speedup)).computed_steps()
    budget = round(50 / speedup)
    levels = build_shifted_levels(50, scale_betas_shift(speedup))
    assert steps == tuple(sorted(build_schedule(levels, budget, BudgetGate(speedup=1.0).count_first_steps(budget))))


@pytest.mark.parametrize("speedup", [2.0, 3.0, 50 / 9])
def test_the_budget_of_every_sample_is_exact(speedup):
    run = run_ddim(LINEAR, Inertial(speedup=speedup), samples=3)
    counts = {len(run.computed_steps(sample=sample)) for sample in range(3)}
    assert counts == {round(50 / speedup)}


def test_half_of_the_steps_take_the_times_for_levels_and_fewer_do_not():
    counted = SPACINGS["trailing"](50)
    found = {
        speedup: [computed_steps(Inertial(speedup=speedup), 50, time=time) for time in (counted.__getitem__, even_flow)]
        for speedup in (2.0, 3.0)
    }
    assert found[2.0][0] == found[2.0][1]
    assert found[3.0][0] != found[3.0][1]
    late = [sum(step >= 40 for step in steps) for steps in found[3.0]]
    assert late[0] > late[1]


def even_flow(step):
    return 1 - step / 50
