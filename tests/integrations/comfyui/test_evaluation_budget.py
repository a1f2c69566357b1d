"""Several evaluations at one noise level: most later ones take over the answer of the first."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import pytest
import torch
from tests.integrations.comfyui.guider import Cond, Guider
from tests.integrations.comfyui.loops import LOOPS, Loop, generate, latents, levels, relative, report_of, sampler
from tests.integrations.comfyui.odd_loops import sample_heun_twice_back
from tests.integrations.comfyui.standin import Model, Patcher
from tests.integrations.comfyui.test_conditionings import Perturbed
from torch import Tensor

from navicache.policies import Inertial
from navicache_comfyui import attach
from navicache_comfyui.evaluation_budget import RevisitRule, split_budget_with_revisits

PLACES = [round(float(sigma), 4) for sigma in levels()]


def calls_at(patcher: Patcher) -> list[int]:
    """How often the network was called at each noise level of a run."""
    found = Counter(round(time / 1000, 4) for time, _, _ in patcher.model.diffusion_model.calls)
    return [found[level] for level in PLACES[:-1]]


def test_both_of_a_level_are_computed_at_the_start_and_at_the_end() -> None:
    model = Patcher(Model())
    patched = attach(model, speedup=2.0)
    generate(patched, "heun")
    often = calls_at(model)
    assert (often[:3], often[-1]) == ([1, 2, 2], 2)
    assert set(often[3:-1]) == {0, 1}
    assert any("was reused" in note for note in report_of(patched).notes)


@pytest.mark.parametrize("name", ["heun", "sa_solver_pece"])
@pytest.mark.parametrize("speedup", [1.1, 1.5, 2.0, 3.0, 4.0])
def test_a_speed_up_counts_evaluations(name: str, speedup: float) -> None:
    patched = attach(Patcher(Model()), speedup=speedup)
    generate(patched, name)
    report = report_of(patched)
    assert report.evaluations == 39
    assert abs(report.computed - 39 / speedup) <= 1


def test_a_short_segment_has_its_own_split_of_the_budget() -> None:
    patched = attach(Patcher(Model()), speedup=1.5)
    generate(patched, sample_heun_twice_back, sigmas=levels(30))
    report = report_of(patched)
    assert report.evaluations == 83 and abs(report.computed - 83 / 1.5) <= 1


@pytest.mark.parametrize(
    ("steps", "speedup", "first"),
    [(20, 2.0, 3), (30, 2.0, 5), (50, 2.0, 8), (50, 3.0, 3), (50, 4.0, 3), (50, 1.5, 16), (12, 2.0, 3)],
)
def test_a_longer_run_has_more_levels_computed_again_and_a_faster_one_fewer(
    steps: int, speedup: float, first: int
) -> None:
    """Of 50 levels at 2: 49 evaluations, 24 more than half of the levels, a third of them 8."""
    policy, rule = split_budget_with_revisits(Inertial(speedup=speedup), [0, *[1] * (steps - 1)])
    assert isinstance(policy, Inertial) and rule == RevisitRule(first, computes_last=True)
    evaluations = round(steps / (policy.speedup or 1)) + first  # the last level's, and none at the first
    assert abs(evaluations - (2 * steps - 1) / speedup) <= 1


@pytest.mark.parametrize("speedup", [1.2, 1.5, 2.0, 3.0])
def test_three_evaluations_of_a_level_keep_the_count(speedup: float) -> None:
    model = Patcher(Model())
    patched = attach(model, speedup=speedup)
    generate(patched, "heunpp2")
    report = report_of(patched)
    assert report.evaluations == 57 and abs(report.computed - 57 / speedup) <= 2
    assert len(model.model.diffusion_model.calls) == report.computed
    assert calls_at(model)[:3] == [1, 2, 3]  # the first levels each time


@pytest.mark.parametrize(("steps", "first"), [(12, 4), (20, 6), (30, 9)])
def test_three_evaluations_of_a_level_leave_more_for_the_start(steps: int, first: int) -> None:
    revisits = [0, 1, *[2] * (steps - 2)]
    policy, rule = split_budget_with_revisits(Inertial(speedup=2.0), revisits)
    assert isinstance(policy, Inertial) and rule == RevisitRule(first)
    assert steps / (policy.speedup or 1) >= 0.9 * steps


@pytest.mark.parametrize(
    ("steps", "speedup", "computed", "says"),
    [
        (12, 3.0, 6, "3x of 12 evaluations leaves too few of them for the same video: 6 are computed"),
        (4, 2.0, 4, "a run of 4 evaluations is too short to leave some out: all are computed"),
        (12, 2.0, 6, None),
    ],
)
def test_a_speed_up_that_makes_another_video_is_lowered(
    steps: int, speedup: float, computed: int, says: str | None
) -> None:
    patched = attach(Patcher(Model()), speedup=speedup)
    generate(patched, sigmas=levels(steps))
    report = report_of(patched)
    assert report.computed == computed
    assert [note for note in report.notes if "computed" in note] == [says] * (says is not None)


def watched(seen: list[tuple[Tensor, Tensor]]) -> Loop:
    """heun, keeping the latent and the direction of every evaluation."""

    def sample_heun(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        def look(x: Tensor, sigma: Tensor) -> Tensor:
            denoised = model(x, sigma)
            seen.append((x, (x - denoised) / sigma))
            return denoised

        return LOOPS["heun"](cast(Guider, look), x, sigmas)

    return sample_heun


def test_a_twin_goes_on_in_the_direction_of_the_first() -> None:
    seen: list[tuple[Tensor, Tensor]] = []
    generate(attach(Patcher(Model()), speedup=2.0), watched(seen))
    run = seen[39:]  # after the rehearsal
    pairs = list(zip(run[1::2], run[2::2], strict=True))  # at levels 1 to 19
    assert all(not torch.equal(first[0], twin[0]) for first, twin in pairs)
    held = [relative(twin[1], first[1]) < 1e-5 for first, twin in pairs]
    assert held == [False, False, *[True] * 16, False]


@pytest.mark.parametrize("target", [{"max_error": 0.05}, {"policy": "inertial", "knobs": {"threshold": 0.05}}])
def test_where_errors_are_measured_a_revisit_follows_its_level(target: dict[str, Any]) -> None:
    model = Patcher(Model())
    patched = attach(model, **target)
    generate(patched, "heun")
    (run,) = report_of(patched).trace.runs
    computed = run.column("computed")
    assert not all(computed)
    assert calls_at(model) == [1, *(2 * was for was in computed[1:])]


def test_a_short_run_of_a_preset_reuses_two_of_ten_levels() -> None:
    patched = attach(Patcher(Model()), mode="mid")
    generate(patched, "heun", sigmas=levels(10))
    assert (report_of(patched).evaluations, report_of(patched).computed) == (19, 15)


def test_a_second_call_in_one_evaluation_is_no_twin() -> None:
    def run(patcher: Patcher) -> Tensor:
        with torch.no_grad():
            return Perturbed(patcher, [Cond(0.8)]).sample(latents(), sampler("heun"), levels())

    patched = attach(Patcher(Model()), speedup=2.0)
    assert relative(run(patched), run(Patcher(Model()))) < 0.03
    assert report_of(patched).trace.runs[0].streams == ("cond", "cond#2")
    assert report_of(patched).computed == 19


def test_a_twin_whose_calls_are_others_is_computed() -> None:
    """Memory allowed one call at the first evaluation of a level, and two at the second: nothing is there to hold."""
    asked: list[float] = []

    def batched(sigma: float) -> bool:
        asked.append(sigma)
        return asked.count(sigma) == 1

    patched, plain = attach(Patcher(Model()), speedup=2.0), Patcher(Model())
    assert relative(generate(patched, "heun", batched=batched), generate(plain, "heun")) < 0.03
