"""A sampler that looks two levels ahead: late in a run the evaluation on its course is the one that is computed."""

from __future__ import annotations

from typing import cast

import pytest
import torch
from tests.integrations.comfyui.guider import Guider
from tests.integrations.comfyui.loops import LOOPS, Loop, generate, levels, relative, report_of
from tests.integrations.comfyui.standin import Model, Network, Patcher
from torch import Tensor

from navicache_comfyui import attach, evaluation_budget, shape_cache
from navicache_comfyui.output_line import OutputLine


def followed(model: Patcher, seen: list[tuple[float, bool]]) -> Loop:
    """heunpp2, noting the noise level of every evaluation and whether it was computed."""

    def sample_heunpp2(guider: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        def look(x: Tensor, sigma: Tensor) -> Tensor:
            calls = cast(Network, model.model.diffusion_model).calls
            before = len(calls)
            denoised = guider(x, sigma)
            seen.append((round(float(sigma), 4), len(calls) > before))
            return denoised

        return LOOPS["heunpp2"](look, x, sigmas)  # type: ignore[arg-type]

    return sample_heunpp2


def test_late_levels_are_computed_where_they_weigh_most() -> None:
    model, seen = Patcher(Model()), list[tuple[float, bool]]()
    patched = attach(model, speedup=2.0)
    generate(patched, followed(model, seen))
    run = seen[-report_of(patched).evaluations :]  # after the rehearsal
    sigmas = [round(float(sigma), 4) for sigma in levels()[:-1]]
    computed = [[hit for sigma, hit in run if sigma == level] for level in sigmas]
    late = [visits for sigma, visits in zip(sigmas, computed, strict=True) if sigma <= 0.5]
    middle = computed[7 : 20 - len(late)]
    assert len(late) == 5 and sum(map(any, late)) >= 4
    assert all(visits in ([False, False, True], [False] * 3) for visits in late)
    assert len(middle) >= 5 and all(visits in ([True, False, False], [False] * 3) for visits in middle)


def test_the_video_is_nearer_than_with_the_first_evaluation_of_each_level(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, far = generate(Patcher(Model()), "heunpp2", sigmas=levels(12)), []
    for share in (evaluation_budget.LATE_SHARE, 0.0):
        monkeypatch.setattr(evaluation_budget, "LATE_SHARE", share)
        patched = attach(Patcher(Model()), speedup=2.0)
        far.append((relative(generate(patched, "heunpp2", sigmas=levels(12)), truth), report_of(patched).computed))
    (late, computed), (first, same) = far
    assert computed == same and late < 0.95 * first


@pytest.mark.parametrize("speedup", [1.5, 2.0, 3.0, 4.0])
def test_lines_go_through_every_computed_output_and_no_other(speedup: float, monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[float] = []

    class Noted(OutputLine):
        def add(self, level: int, sigma: float, output: Tensor) -> None:
            added.append(round(sigma, 4))
            super().add(level, sigma, output)

    monkeypatch.setattr(shape_cache, "OutputLine", Noted)
    model, seen = Patcher(Model()), list[tuple[float, bool]]()
    patched = attach(model, speedup=speedup)
    generate(patched, followed(model, seen))
    report = report_of(patched)
    assert added == [sigma for sigma, hit in seen[-report.evaluations :] if hit]
    assert abs(report.computed - report.evaluations / speedup) <= 1
    assert any("continued the line of earlier ones" in note for note in report.notes)


def test_what_is_stored_in_half_is_extended_in_full() -> None:
    line, step = OutputLine(), 2**-7  # of bfloat16 at 1
    for level, (sigma, value) in enumerate(((1.0, 1.0), (0.9, 1.0 + step))):
        line.add(level, sigma, torch.tensor([value], dtype=torch.bfloat16))
    assert line.extend(2, 0.85) == pytest.approx(1.0 + 1.5 * step, abs=1e-6)


def test_a_line_that_is_short_or_far_away_predicts_nothing() -> None:
    line = OutputLine()
    assert line.extend(2, 0.4) is None  # nothing yet
    for level, sigma in ((0, 1.0), (1, 0.7), (1, 0.7)):
        line.add(level, sigma, torch.tensor([10 * sigma]))
        assert (line.extend(2, 0.4) is None) == (level == 0)
    assert line.extend(4, 0.2) is not None and line.extend(5, 0.1) is None
