"""What the report says, and what else it looks at."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.integrations.comfyui.guider import Cond, Guider
from tests.integrations.comfyui.loops import generate, latents, levels, relative, report_of, sampler
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach


def test_errors_are_measured_and_one_line_goes_to_the_console(caplog: pytest.LogCaptureFixture) -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    with caplog.at_level(logging.INFO, "navicache"):
        generate(patched)
    report = report_of(patched)
    assert report.errors and all(0 < error < 1 for error in report.errors)
    assert f"{max(report.errors):.1%} at most" in report.summary
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("NaviCache: 10 of 20 evaluations computed; predictions missed ")


def test_a_limit_that_leaves_nothing_out_says_what_predictions_miss() -> None:
    patched = attach(Patcher(Model()), max_error=0.001)
    generate(patched)
    report = report_of(patched)
    assert report.computed >= 18
    assert any("raise it, or set a speed-up" in note for note in report.notes)


def test_another_cache_on_the_model_is_told() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    patched.model_options["transformer_options"]["easycache"] = object()
    generate(patched)
    assert any("another cache is on this model (easycache)" in note for note in report_of(patched).notes)


def test_guidance_that_is_batched_differently_is_told() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, batched=lambda sigma: int(sigma * 40) % 2 == 0)
    assert any("batched in another way" in note for note in report_of(patched).notes)


@pytest.mark.parametrize("speedup", [2.0, 3.0])
def test_prompts_by_step_range_keep_the_count(speedup: float) -> None:
    ranges = [(0.66, 1.0), (0.33, 0.66), (0.0, 0.33)]
    how: dict[str, Any] = {
        "positive": [Cond(pull, levels=part) for pull, part in zip((0.8, -0.5, 0.3), ranges, strict=True)]
    }
    even = torch.linspace(1, 0, 31)
    plain, patched = Patcher(Model()), attach(Patcher(Model()), speedup=speedup)
    truth = generate(plain, sigmas=even, **how)
    assert relative(generate(patched, sigmas=even, **how), truth) < 0.1
    assert abs(report_of(patched).computed - 30 / speedup) <= 1


@pytest.mark.parametrize("part", [{"start_percent": 0.5}, {"end_percent": 0.5}])
def test_outside_its_part_everything_is_computed(part: dict[str, float]) -> None:
    model = Patcher(Model())
    patched = attach(model, speedup=1.5, **part)
    even = torch.linspace(1, 0, 31)
    generate(patched, sigmas=even)
    outside = [sigma for sigma in even[:-1].tolist() if (sigma > 0.5) == ("start_percent" in part)]
    called = [time / 1000 for time, _, _ in model.model.diffusion_model.calls]
    assert set(map(round_level, outside)) - {0.5} <= set(map(round_level, called))
    assert len(called) < 30 and report_of(patched).computed == len(called)


def round_level(sigma: float) -> float:
    return round(sigma, 3)


def test_a_part_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="must begin before it ends"):
        attach(Patcher(Model()), start_percent=0.9, end_percent=0.2)


def test_kept_outputs_are_where_and_in_what_they_were_asked_to_be() -> None:
    truth = generate(attach(Patcher(Model()), speedup=2.0))
    small = generate(attach(Patcher(Model()), speedup=2.0, keep_dtype=torch.bfloat16, keep_device="cpu"))
    assert 0 < relative(small, truth) < 0.01


class Windows(Guider):
    """ComfyUI's context windows: the frames of a call are named in its options."""

    moving = False
    step = 0

    def __call__(self, x: Tensor, sigma: Tensor) -> Tensor:
        shift, parts, timestep = self.step if self.moving else 0, [], sigma.reshape(1)
        self.step += 1
        for start in (0, 4):
            frames = [start + shift, start + shift + 3]
            self.model_options["transformer_options"]["context_window"] = SimpleNamespace(index_list=frames)
            parts.append(self.by_role([self.positive], x[..., start : start + 4], timestep)[0])
        return torch.cat(parts, -1)


@pytest.mark.parametrize("moving", [False, True])
def test_context_windows_are_cached_where_they_stay(moving: bool) -> None:
    model = Patcher(Model())
    patched = attach(model, speedup=2.0)
    guider = Windows(patched, [Cond(0.8)], [Cond(-0.2)])
    guider.moving = moving
    with torch.no_grad():
        guider.sample(latents(), sampler("euler"), levels())
    report = report_of(patched)
    assert report.computed == (20 if moving else 10)
    assert any("context windows move" in note for note in report.notes) == moving
