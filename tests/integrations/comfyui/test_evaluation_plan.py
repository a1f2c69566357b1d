"""Places of evaluations, and rehearsals of samplers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.integrations.comfyui.guider import Guider
from tests.integrations.comfyui.loops import LOOPS, generate, levels, report_of, sample_euler, sampler
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach
from navicache_comfyui.evaluation_plan import Place, plan_evaluations
from navicache_comfyui.rehearsal import rehearse_sampler

SIGMAS = [1.0, 0.8, 0.5, 0.2, 0.0]
falling = st.lists(st.integers(1, 5000).map(lambda sigma: sigma / 50), min_size=2, max_size=30, unique=True)


@pytest.mark.parametrize(
    ("evaluations", "expected"),
    [
        ([1.0, 0.8, 0.5, 0.2], [0, 1, 2, 3]),  # euler
        ([1.0, 0.8, 0.8, 0.5, 0.5, 0.2, 0.2], [0, 1, 1, 2, 2, 3, 3]),  # heun
        ([1.0, 0.9, 0.8, 0.6, 0.5, 0.3, 0.2], [0, 1, 2, 3, 4, 5, 6]),  # dpm_2
        ([1.0, 0.8, 0.5, 0.8, 0.5, 0.2, 0.5, 0.2], [0, 1, 2, 1, 2, 3, 2, 3]),  # heunpp2
        ([1.0, 0.8, 0.80001, 0.2], [0, 1, 1, 2]),  # a sampler that is not exact
    ],
)
def test_evaluations_have_levels(evaluations: list[float], expected: list[int]) -> None:
    places = plan_evaluations(evaluations, SIGMAS).places
    assert [place and place.level for place in places] == expected


def test_a_look_at_the_very_end_has_no_place() -> None:
    assert plan_evaluations([1.0, 0.5, 0.0], [1.0, 0.5, 0.0]).places[-1] is None


def test_noise_put_back_begins_a_segment_of_its_own() -> None:
    plan = plan_evaluations([1.0, 0.8, 0.6, 0.5, 0.4, 0.2, 0.8, 0.5], SIGMAS)
    assert plan.places[-2:] == (Place(1, 0, 0), Place(1, 1, 0))
    assert plan.levels[1] == (0.8, 0.5)


def test_a_list_that_goes_up_again_has_no_revisits() -> None:
    plan = plan_evaluations([1.0, 0.6, 0.3, 0.6, 0.5], [1.0, 0.6, 0.3, 0.6, 0.5, 0.0])
    assert plan.levels == ((1.0, 0.6, 0.3), (0.6, 0.5))


@given(falling)
def test_one_evaluation_at_each_level(sigmas: list[float]) -> None:
    sigmas = sorted(sigmas, reverse=True)
    places = plan_evaluations(sigmas, [*sigmas, 0.0]).places
    assert [place and (place.segment, place.visit) for place in places] == [(0, 0)] * len(sigmas)


@given(st.lists(st.floats(0, 100), max_size=40))
def test_no_order_of_evaluations_breaks_it(evaluations: list[float]) -> None:
    plan = plan_evaluations(evaluations, [1.0, 0.5, 0.0])
    for place in filter(None, plan.places):
        assert 0 <= place.level < len(plan.levels[place.segment])
    assert all(len(plan.count_revisits(n)) == len(plan.levels[n]) for n in range(len(plan.levels)))


@pytest.mark.parametrize("name", LOOPS)
def test_a_rehearsal_finds_the_evaluations_of_the_run(name: str) -> None:
    seen: list[float] = []
    model = Patcher(Model())
    generate(model, name)
    for time, _, _ in model.model.diffusion_model.calls:
        seen.append(time / 1000)
    assert rehearse_sampler(sampler(name), levels(), model) == pytest.approx(seen)


def test_a_rehearsal_draws_no_random_number_of_the_run() -> None:
    def draws(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        return sample_euler(model, x + torch.randn_like(x), sigmas)

    torch.manual_seed(3)
    before = torch.get_rng_state()
    assert len(rehearse_sampler(sampler(draws), levels(), Patcher(Model())) or ()) == 20
    assert torch.equal(before, torch.get_rng_state())


def test_guidance_asked_for_after_the_model_is_answered() -> None:
    """As samplers do that step with the unguided answer."""

    def sample(model: Any, x: Tensor, sigmas: Tensor, extra_args: dict[str, Any], **_: Any) -> Tensor:
        seen: list[Tensor] = []
        options = {"sampler_post_cfg_function": [lambda facts: seen.append(facts["uncond_denoised"]) or x]}
        for sigma in sigmas[:-1]:
            model(x, sigma.reshape(1), **{**extra_args, "model_options": options})
            x = x - seen[-1]
        return x

    sampling = SimpleNamespace(sampler_function=sample, extra_options={})
    assert rehearse_sampler(sampling, levels(), Patcher(Model())) == pytest.approx(levels()[:-1].tolist())


def test_a_sampler_that_cannot_be_rehearsed_is_taken_as_one_evaluation_a_step() -> None:
    def sample(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        return sample_euler(model, x, sigmas) if isinstance(model, Guider) else x.not_there

    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, sample)
    assert (report_of(patched).evaluations, report_of(patched).computed) == (20, 10)


def test_a_sampler_that_leaves_its_rehearsal_is_computed_from_there() -> None:
    def sample(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        if isinstance(model, Guider):
            sigmas = torch.cat([sigmas[:11], levels(37)[levels(37) < sigmas[10]]])
        return sample_euler(model, x, sigmas)

    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, sample)
    report = report_of(patched)
    assert any("did not evaluate where it was expected to" in note for note in report.notes)
    assert report.evaluations - report.computed <= 8  # of the first eleven alone
