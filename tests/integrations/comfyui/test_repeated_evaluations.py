"""Two evaluations at one noise level: most second ones take over the answer of the first."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from tests.integrations.comfyui.guider import Cond, Guider
from tests.integrations.comfyui.loops import LOOPS, Loop, generate, latents, levels, relative, report_of, sample_heun
from tests.integrations.comfyui.standin import Model, Patcher
from tests.integrations.comfyui.test_conditionings import Perturbed
from torch import Tensor

from navicache.policies import Inertial
from navicache_comfyui import attach
from navicache_comfyui.repeated_evaluations import split_budget_with_repeats
from navicache_comfyui.sampler_traits import classify_sampler

HEUN = classify_sampler(SimpleNamespace(sampler_function=sample_heun))
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
    assert any("reused the output" in note for note in report_of(patched).notes)


@pytest.mark.parametrize("name", ["heun", "sa_solver_pece"])
@pytest.mark.parametrize("speedup", [1.1, 1.5, 2.0, 3.0, 4.0])
def test_a_speed_up_counts_evaluations(name: str, speedup: float) -> None:
    patched = attach(Patcher(Model()), speedup=speedup)
    generate(patched, name)
    report = report_of(patched)
    assert report.evaluations == 39
    assert abs(report.computed - 39 / speedup) <= 1


@pytest.mark.parametrize(
    ("steps", "speedup", "computed"),
    [(20, 2.0, 3), (30, 2.0, 5), (50, 2.0, 8), (50, 3.0, 3), (50, 4.0, 3), (50, 1.5, 16), (8, 2.0, 3)],
)
def test_a_longer_run_has_more_twins_computed_and_a_faster_one_fewer(steps: int, speedup: float, computed: int) -> None:
    """Of 50 levels at 2: 49 evaluations, 24 more than half of the levels, a third of them 8."""
    policy, twins = split_budget_with_repeats(Inertial(speedup=speedup), HEUN, levels(steps).tolist())
    assert isinstance(policy, Inertial) and twins is not None
    assert twins == (computed, True)
    evaluations = round(steps / (policy.speedup or 1)) + computed  # the last level's twin, and none at the first
    assert abs(evaluations - (2 * steps - 1) / speedup) <= 1


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
    pairs = list(zip(seen[1::2], seen[2::2], strict=True))  # at levels 1 to 19
    assert all(not torch.equal(first[0], twin[0]) for first, twin in pairs)
    held = [relative(twin[1], first[1]) < 1e-5 for first, twin in pairs]
    assert held == [False, False, *[True] * 16, False]


def test_it_is_nearer_than_two_streams() -> None:
    """At equal evaluations: two streams have a schedule each, and the line goes over longer gaps."""
    truth = generate(Patcher(Model()), "heun")
    patched, streams = attach(Patcher(Model()), speedup=2.0), attach(Patcher(Model()), speedup=2.0)
    twins = relative(generate(patched, "heun"), truth)
    assert twins < 0.5 * relative(generate(streams, named_otherwise), truth)
    assert report_of(patched).computed == report_of(streams).computed == 19


def named_otherwise(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    return sample_heun(model, x, sigmas)


@pytest.mark.parametrize("target", [{"max_error": 0.05}, {"policy": "inertial", "knobs": {"threshold": 0.05}}])
def test_where_errors_are_measured_no_twin_is_held(target: dict[str, Any]) -> None:
    patched = attach(Patcher(Model()), **target)
    generate(patched, "heun")
    (run,) = report_of(patched).trace.runs
    assert run.streams == ("uncond+cond", "uncond+cond#2")
    assert not any("reused the output" in note for note in report_of(patched).notes)


def test_other_policies_see_every_evaluation() -> None:
    patched = attach(Patcher(Model()), policy="navicache")
    generate(patched, "heun")
    assert report_of(patched).trace.runs[0].streams == ("uncond+cond", "uncond+cond#2")


def test_a_short_run_of_a_preset_is_computed() -> None:
    patched = attach(Patcher(Model()), quality="mid")
    generate(patched, "heun", sigmas=levels(10))
    assert (report_of(patched).evaluations, report_of(patched).computed) == (19, 19)


def test_noise_put_in_before_a_step_leaves_no_twins() -> None:
    churned = SimpleNamespace(sampler_function=sample_heun, extra_options={"s_churn": 0.5})
    assert HEUN.repeats_evaluations and not classify_sampler(churned).repeats_evaluations
    assert split_budget_with_repeats(Inertial(speedup=2.0), classify_sampler(churned), PLACES) == (
        Inertial(speedup=2.0),
        None,
    )


def test_a_second_call_in_one_evaluation_is_no_twin() -> None:
    def run(patcher: Patcher) -> Tensor:
        with torch.no_grad():
            return Perturbed(patcher, [Cond(0.8)]).sample(
                latents(), SimpleNamespace(sampler_function=sample_heun), levels()
            )

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


def test_every_sampler_with_twins_is_known() -> None:
    twice = {
        name
        for name, loop in LOOPS.items()
        if classify_sampler(SimpleNamespace(sampler_function=loop)).repeats_evaluations
    }
    assert twice == {"heun", "sa_solver_pece"}
