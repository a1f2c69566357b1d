"""The simulation against the engine, and the script around it; a small model with random weights."""

import pytest
import torch

import navicache
from navicache.policies import Inertial

SMALL = ["--size", "32", "--frames", "5", "--device", "cpu", "--dtype", "float32", "--trained-videos", "100"]
PROMPTS, STEPS, LONG = 2, 16, 50


@pytest.fixture
def arguments(checkpoint, tmp_path):
    places = ["--checkpoint", str(checkpoint), "--out", str(tmp_path)]
    return [*SMALL, *places, "--prompts", str(PROMPTS), "--steps", str(STEPS)]


@pytest.fixture
def bench(script, arguments):
    return script("quality_runs").Bench(script("simulate")._options(arguments))


def by_engine(bench, scheduler, policy, length=STEPS):
    bench.schedule(scheduler)
    with navicache.enable(bench.pipe, policy) as cache:
        latents = bench.latents(range(PROMPTS), length)
        steps = cache.trace.runs[-1].leading
    of_rows = [[step for step in steps if step.sample == row] for row in range(PROMPTS)]
    return latents, [[step.computed for step in own] for own in of_rows], {step.reason for step in steps}


@pytest.mark.parametrize("scheduler", ["UniPC", "Euler"])
def test_it_is_the_policy_at_every_kind_of_threshold(script, bench, scheduler):
    """Where all is computed, where the gate decides, where the second step may be spared, and beyond."""
    thresholds, simulation = (0.0, 0.15, 0.4, 0.6, 3.0), script("simulation")
    variants = [simulation.Variant(tau) for tau in thresholds]
    latents, computed = simulation.Simulation(bench, variants, scheduler, STEPS).run()
    counts = set()
    for number, tau in enumerate(thresholds):
        own = slice(number * PROMPTS, (number + 1) * PROMPTS)
        expected, steps, _ = by_engine(bench, scheduler, Inertial(threshold=tau))
        assert computed[own].tolist() == steps
        assert torch.allclose(latents[own], expected, rtol=1e-3, atol=1e-4)
        counts.add(sum(map(sum, steps)))
    assert max(counts) == PROMPTS * STEPS
    assert len(counts) > 3, "the thresholds tell something apart"


@pytest.mark.parametrize("scheduler", ["UniPC", "Euler"])
def test_it_is_the_policy_where_the_first_steps_are_taken_by_turns(script, bench, scheduler):
    """A run so long that there are several steps of nearly nothing but noise."""
    simulation = script("simulation")
    latents, computed = simulation.Simulation(bench, [simulation.Variant(0.6)], scheduler, LONG).run()
    expected, steps, reasons = by_engine(bench, scheduler, Inertial(threshold=0.6), LONG)
    assert {"by turns", "last step follows"} <= reasons
    assert computed.tolist() == steps
    assert torch.allclose(latents, expected, rtol=1e-3, atol=1e-4)


def test_momentum_keeps_a_share_of_the_slope_before(script, bench):
    """Outputs 0, 1, 4 at steps 0, 1, 2: slopes 1 and 3; with a quarter of the first, 2.5."""
    simulation = script("simulation")
    variants = [simulation.Variant(0.0), simulation.Variant(0.0, momentum=0.25)]
    flight = simulation.Simulation(bench, variants, "Euler", STEPS)
    outputs = iter((0.0, 1.0, 4.0))

    def model(seen, time, rows):
        output = torch.full_like(seen[rows], next(outputs))
        return output, output

    flight._model = model
    x = flight._noise()
    flight._begin(x, torch.tensor(0.0))
    for index in (1, 2):
        flight.seen = x
        flight._predict(index, x + index, 0.5)
        flight._decide(index, 0.5)
        flight._compute(index, x + index, torch.tensor(0.0), torch.arange(2 * PROMPTS))
    slopes = (flight.newest[1] - flight.older[1]).flatten(1).mean(1)
    assert slopes.tolist() == pytest.approx([3.0] * PROMPTS + [2.5] * PROMPTS)


def test_a_turn_is_left_out_unless_the_gate_may_ask_for_it(script, bench):
    """At high noise: just after a compute, with an error far above what is tolerated and far below; and one later."""
    simulation = script("simulation")
    variants = [simulation.Variant(0.6), simulation.Variant(0.6, asked=1.0)]
    flight = simulation.Simulation(bench, variants, "Euler", STEPS)
    x = flight._noise()
    flight._begin(x, torch.tensor(1000.0))
    flight.growth.known[:], flight.seen, flight.at[:] = True, x, 3.0
    for index, growth, due in ((4, 100.0, [False, True]), (4, 1e-6, [False, False]), (5, 1e-6, [True, True])):
        flight.growth.mean[:], flight.error[:] = growth, 0.0
        flight._predict(index, x + 1, 0.98)
        assert flight._decide(index, 0.98).tolist() == [verdict for verdict in due for _ in range(PROMPTS)]


def test_the_difference_between_branches_can_be_held_while_there_is_hardly_anything_but_noise(script, bench):
    simulation = script("simulation")
    variants = [simulation.Variant(0.6, carried=1.0), simulation.Variant(0.6, carried=1.0, held_above=0.9)]
    flight = simulation.Simulation(bench, variants, "Euler", STEPS)
    x = flight._noise()
    flight._begin(x, torch.tensor(1000.0))
    flight.seen, flight.at[:], flight.gap[:] = x, 1.0, 1.0
    flight.older[2] = flight.newest[2] - 1  # a slope of 1 a step
    for sigma, moved in ((0.95, [1.0] * PROMPTS + [0.0] * PROMPTS), (0.9, [1.0] * 2 * PROMPTS)):
        flight._predict(2, x, sigma)
        found = (flight.course_apart - flight.newest[2]).flatten(1).mean(1)
        assert found.tolist() == pytest.approx(moved, abs=1e-5)


def test_the_script_tells_gains_and_runs_nothing_twice(script, arguments, capsys, monkeypatch):
    simulate = script("simulate")
    asked = [*arguments, "--thresholds", "0.05", "0.4", "--variants", '{"slower": {"growth_noise": 0.01}}']
    told = simulate.main([*asked, "--together", "3"])
    assert told.splitlines()[2].startswith("| as it is | ")
    assert told.splitlines()[3].startswith("| slower | ")
    monkeypatch.setattr(simulate, "run", lambda *_: pytest.fail("measured again"))
    assert simulate.main(asked) == told
    with pytest.raises(ValueError, match="'slower' was run with .*0.01.*another name"):
        simulate.main([*asked[:-1], '{"slower": {"growth_noise": 0.02}}'])


def test_gains_are_taken_from_the_line_through_the_policy_as_it_is(script):
    rows = [
        {"curve": "as it is", "computed": 10.0, "psnr": 30.0, "psnr_worst": 20.0},
        {"curve": "as it is", "computed": 12.0, "psnr": 34.0, "psnr_worst": 21.0},
        {"curve": "other", "computed": 11.0, "psnr": 33.0, "psnr_worst": 22.0},
        {"curve": "other", "computed": 13.0, "psnr": 36.0, "psnr_worst": 23.0},
    ]
    assert script("simulate").report(rows).splitlines()[2:] == [
        "| as it is | 10.00: 30.00, 12.00: 34.00 | 20.0 21.0 |",
        "| other | 11.00: 33.00 (+1.00), 13.00: 36.00 | 22.0 23.0 |",
    ]
