"""Prepare a plan: the number of prompts, the default calls of embedded models, and the prompts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

DEFAULT_PROMPTS = 64  # prompts of the embedded model's world, which has thousands


def set_prompt_counts(plan: Any, prompts: int | None, accuracy: int | None) -> Any:
    """The plan with other numbers of prompts, if they are given."""
    counts = replace(plan.prompts, count=prompts or plan.prompts.count)
    conditions = tuple(_limit_prompts(condition, prompts) for condition in plan.conditions)
    shadows = replace(plan.accuracy, prompts=accuracy or plan.accuracy.prompts)
    return replace(plan, prompts=counts, conditions=conditions, accuracy=shadows)


def _limit_prompts(condition: Any, most: int | None) -> Any:
    """The condition with at most so many prompts of its own."""
    if condition.prompts is None or most is None:
        return condition
    count = most if condition.prompts.count is None else min(most, condition.prompts.count)
    return replace(condition, prompts=replace(condition.prompts, count=count))


def add_embedded_calls(plan: Any) -> Any:
    """The plan with the default call of every `pocket:NAME`; arguments in the plan override it."""
    from navicache.generation.job import POCKET
    from navicache.pocket.members import MEMBERS

    def whole(model: Any) -> Any:
        family, _, name = model.model.partition(":")
        known = family == POCKET and name in MEMBERS  # a name that is not is refused with the other models
        return replace(model, call={**MEMBERS[name].call, **model.call}) if known else model

    return replace(plan, models=tuple(whole(model) for model in plan.models))


def read_settings_files(plan: Any, folder: Path) -> Any:
    """The plan with what its settings files say; they lie beside it."""
    from navicache.models import read_settings

    def whole(setting: Any) -> Any:
        path = (folder / setting.settings).absolute()
        choice = read_settings(path).get_choice(setting.quality)
        return replace(setting, settings=str(path), policy=choice.policy, knobs=choice.knobs)

    return replace(plan, settings=tuple(whole(each) if each.settings else each for each in plan.settings))


def choose_prompts(wanted: Any, folder: Path) -> list[str]:
    """The prompts that the plan asks for."""
    from navicache.evaluation.bench.prompts import read_prompt_file, vbench_prompts

    if wanted.source == "file" and not wanted.file:
        raise ValueError("prompts.source is 'file': name it with prompts.file")
    end = None if wanted.count is None else wanted.skip + wanted.every * wanted.count
    sources = {
        "file": lambda: read_prompt_file(folder, wanted.file),
        "vbench": lambda: vbench_prompts(wanted.dimensions),
        "pocket": lambda: _pocket_prompts("held-out", end or wanted.skip + DEFAULT_PROMPTS),
        "pocket-tuning": lambda: _pocket_prompts("tune", end or wanted.skip + DEFAULT_PROMPTS),
    }
    found = sources[wanted.source]()[wanted.skip : end : wanted.every]
    if len(found) < (wanted.count or 1):
        raise ValueError(f"{wanted.count or 'some'} prompts are asked for, and there are {len(found)}")
    return found


def _pocket_prompts(which: str, count: int) -> list[str]:
    from navicache.pocket.held_out import choose_prompts as choose_held_out

    return choose_held_out(which, count)
