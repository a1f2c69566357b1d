"""Every sampler of ComfyUI: asked for half, half is computed, and the video stays what it was."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.integrations.comfyui.loops import (
    LOOPS,
    Loop,
    generate,
    levels,
    relative,
    report_of,
)
from tests.integrations.comfyui.odd_loops import dpm_adaptive_function, sample_lcm, sample_restart
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach

NOISY = ("euler_ancestral", "dpmpp_sde", "dpmpp_2s_ancestral", "seeds_3", "sa_solver_pece")
TWICE = ("heun", "dpm_2", "dpmpp_sde", "dpmpp_2s_ancestral", "seeds_3", "heunpp2", "sa_solver_pece")
REVISITS = ("heun", "heunpp2", "sa_solver_pece")  # evaluate a level again: most levels are computed once
LEVELS = {"dpm_2": 39, "dpmpp_sde": 39, "dpmpp_2s_ancestral": 39, "seeds_3": 58}  # also between those of the steps


@pytest.mark.parametrize("name", LOOPS)
def test_half_of_the_evaluations_are_computed(name: str) -> None:
    plain, model = Patcher(Model()), Patcher(Model())
    truth = generate(plain, name)
    patched = attach(model, speedup=2.0)
    video = generate(patched, name)
    asked = len(plain.model.diffusion_model.calls)
    report = report_of(patched)
    assert (report.evaluations, report.computed) == (asked, len(model.model.diffusion_model.calls))
    per_step = asked / 20
    assert abs(report.computed - asked / 2) <= max(1.0, per_step)
    assert relative(video, truth) < (0.1 if name in NOISY else 0.03)
    assert not torch.equal(video, truth)


@pytest.mark.parametrize("name", LOOPS)
def test_steps_are_those_of_the_sampler(name: str) -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, name)
    report = report_of(patched)
    (run,) = report.trace.runs
    length = LEVELS.get(name, 20)
    assert (run.length, run.total, run.finished) == (length, length, True)
    assert name in REVISITS or run.computed == round(length / 2)
    assert any("more than once" in note for note in report.notes) == (name in TWICE)


def test_an_evaluation_between_two_levels_is_a_step_of_its_own() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, "dpm_2")
    (run,) = report_of(patched).trace.runs
    assert run.streams == ("uncond+cond",)
    levels_seen = run.column("sigma")
    assert list(levels_seen) == sorted(levels_seen, reverse=True) and len(set(levels_seen)) == 39


@pytest.mark.parametrize(
    ("loop", "evaluations", "note"),
    [
        (dpm_adaptive_function, 37, "dpm_adaptive chooses its own steps as it goes: every evaluation was computed"),
        (sample_lcm, 20, "lcm draws fresh noise at every step: every evaluation was computed"),
    ],
)
def test_a_sampler_that_is_left_alone_says_why(loop: Loop, evaluations: int, note: str) -> None:
    plain, model = Patcher(Model()), Patcher(Model())
    patched = attach(model, speedup=2.0)
    assert torch.equal(generate(patched, loop), generate(plain, loop))
    report = report_of(patched)
    assert (report.evaluations, report.computed) == (evaluations, evaluations)
    assert report.notes == (note,)
    assert "nothing was cached" in report.summary


def test_noise_that_is_put_back_begins_a_new_stretch() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    video = generate(patched, sample_restart)
    report = report_of(patched)
    first, second = report.trace.runs
    assert [(run.length, run.total) for run in (first, second)] == [(15, 15), (15, 15)]
    assert second.computed_steps()[:4] == (0, 1, 2, 4)  # fresh noise is a start
    assert report.computed <= 20
    assert any("2 segments" in note for note in report.notes)
    assert relative(video, generate(Patcher(Model()), sample_restart)) < 0.03


def test_noise_levels_that_go_up_again() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    sigmas = torch.cat([levels()[:15], levels()[5:]])
    video = generate(patched, sigmas=sigmas)
    report = report_of(patched)
    assert [(run.length, run.total, run.computed) for run in report.trace.runs] == [(15, 15, 8), (15, 15, 8)]
    assert relative(video, generate(Patcher(Model()), sigmas=sigmas)) < 0.03


def test_a_run_turned_around() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    sigmas = levels().flip(0)[1:]
    generate(patched, sigmas=sigmas)
    report = report_of(patched)
    (run,) = report.trace.runs
    assert (run.length, run.computed) == (19, 10)


class NoiseModel(Model):
    """As Stable Diffusion: the latent is scaled for the network, which tells the noise; levels go far above 1."""

    def _apply_model(self, x: Tensor, t: Tensor, c_concat: Any, c_crossattn: Any, *rest: Any) -> Tensor:
        level = t.reshape(-1, *[1] * (x.ndim - 1))
        return x - level * self.diffusion_model(x / (1 + level**2) ** 0.5, 1000 * t / (1 + t), c_crossattn)


@pytest.mark.parametrize("name", ["euler", "heun", "dpm_2"])
def test_a_model_of_noise(name: str) -> None:
    sigmas = torch.cat([torch.logspace(1.15, -1.5, 20), torch.zeros(1)])
    patched = attach(Patcher(NoiseModel()), speedup=2.0)
    assert relative(generate(patched, name, sigmas=sigmas), generate(Patcher(NoiseModel()), name, sigmas=sigmas)) < 0.03
    (run,) = report_of(patched).trace.runs
    assert run.length == LEVELS.get(name, 20) and (name == "heun" or run.computed == round(run.length / 2))
