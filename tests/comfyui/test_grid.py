"""The grid that the pack is judged by: every part of it is balanced, and nothing of it was tuned at."""

import torch
from tests.comfyui.grid import GUIDANCES, PROMPTS, ROUNDS, SAMPLERS, SPACINGS, STEPS, cells
from tests.comfyui.inside import Remembered


def test_three_rounds_have_every_number_of_steps_and_every_guidance() -> None:
    found = [cell for number in range(3) for cell in cells(number)]
    both = [(cell.setting.sampler, cell.setting.spacing) for cell in found]
    for values, per_cell in ((STEPS, [cell.steps for cell in found]), (GUIDANCES, [c.setting.cfg for c in found])):
        assert len({*zip(both, per_cell, strict=True)}) == len(SAMPLERS) * len(SPACINGS) * len(values)


def test_all_rounds_have_every_setting_once_and_no_prompt_that_was_tuned_at() -> None:
    found = [cell for number in range(ROUNDS) for cell in cells(number)]
    assert len({cell[:2] for cell in found}) == len(found) == 7 * 5 * 3 * 3
    assert {cell.prompt for cell in found} == {*range(12)}
    assert {cell.prompt for cell in found if cell.steps == 12} == {*range(2, 12)}


def test_twelve_times_all_rounds_are_the_whole_grid() -> None:
    found = {cell for number in range(PROMPTS * ROUNDS) for cell in cells(number)}
    prompts = sum(PROMPTS - 2 * (steps == 12) for steps in STEPS)  # two were tuned at
    assert len(found) == len(SAMPLERS) * len(SPACINGS) * len(GUIDANCES) * prompts


def test_the_same_call_is_answered_without_the_transformer() -> None:
    calls: list[float] = []

    def transformer(x: torch.Tensor, time: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        calls.append(float(time))
        return x * time + context

    remembered, x, context = Remembered(most=2), torch.ones(2), torch.ones(2)
    for time in (1.0, 1.0, 2.0, 1.0, 3.0, 1.0):  # the third one pushes the first out
        answer = remembered(transformer, x, torch.tensor([time]), context)
        assert answer.equal(x * time + context)
        answer.add_(5.0)  # theirs to change
    assert calls == [1.0, 2.0, 3.0, 1.0]
