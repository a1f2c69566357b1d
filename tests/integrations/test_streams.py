"""Every guidance branch is predicted from its own past, however the branches are called and told apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from tests.integrations.common import newest
from tests.integrations.kinds import KINDS, set_up
from tests.integrations.toys import (
    COND,
    IMAGE,
    PERTURBED,
    STEPS,
    UNCOND,
    Plan,
    assert_right_streams,
    denoise,
    prompts,
    window,
)

import navicache

PLANS: dict[str, Plan] = {
    "off": lambda step: [COND],
    "on": lambda step: [COND, UNCOND],
    "uncond first": lambda step: [UNCOND, COND],
    "in a window": lambda step: [COND, UNCOND] if window(step) else [COND],
    "from a step on": lambda step: [COND, UNCOND] if step > 5 else [COND],
    "up to a step, uncond first": lambda step: [UNCOND, COND] if step < 6 else [COND],
    "now and then": lambda step: [COND, UNCOND] if step % 3 else [COND],
    "by turns": lambda step: [COND, UNCOND] if step % 2 else [UNCOND, COND],
    "three": lambda step: [COND, UNCOND, IMAGE],
    "three in a window": lambda step: [COND, UNCOND, IMAGE] if window(step) else [COND, UNCOND],
    "the second one pauses": lambda step: [COND, IMAGE] if window(step) else [COND, UNCOND, IMAGE],
    "perturbed": lambda step: [COND, PERTURBED],
    "perturbed last": lambda step: [COND, UNCOND, PERTURBED],
    "perturbed in a window": lambda step: [COND, UNCOND, PERTURBED] if window(step) else [COND, UNCOND],
}
# A branch never seen before that opens a step cannot be told from another prompt without a name: a new run is right.
OPENS: dict[str, Plan] = {
    "in a window, uncond first": lambda step: [UNCOND, COND] if window(step) else [COND],
    "from a step on, uncond first": lambda step: [UNCOND, COND] if step > 5 else [COND],
}


def lines(cache: navicache.Cache) -> list[Any]:
    """Every line of the newest run, with the streams numbered as they came: their names may differ."""
    (run,) = newest(cache).values()
    return [replace(step, stream=str(run.streams.index(step.stream))) for step in run.steps]


def bare(kind: str, context: str) -> bool:
    """Nothing but the call itself tells where a run begins."""
    return kind != "pipeline" and context == "none"


@pytest.mark.parametrize("plan", [*PLANS, *OPENS])
@pytest.mark.parametrize("recreate", [False, True], ids=["kept", "recreated"])
@pytest.mark.parametrize(("kind", "context"), KINDS)
def test_right_stream(kind: str, context: str, recreate: bool, plan: str) -> None:
    model, cache, scheduler = set_up(kind)
    how = {"scheduler": scheduler, "context": context, "recreate": recreate}
    calls = list(denoise(model, {**PLANS, **OPENS}[plan], **how))
    reuses = assert_right_streams(calls)
    assert all(reuses.values()), "every branch is reused somewhere"
    if plan in OPENS and context == "none":
        return
    if "perturbed" in plan and bare(kind, context):  # twice the same call: the first step once more, or a second branch
        assert len(cache.trace.runs) <= 2
        return
    (run,) = cache.trace.runs
    assert {step.index for step in run.steps} == set(range(STEPS))
    assert [step.computed for step in run.steps] == [call.computed for call in calls]
    assert len(run.streams) == len({call.branch.name for call in calls})
    if context != "none":
        assert [step.stream for step in run.steps] == [call.branch.name for call in calls]


@pytest.mark.parametrize("plan", ["off", "on", "in a window", "up to a step, uncond first", "three"])
@pytest.mark.parametrize("recreate", [False, True], ids=["kept", "recreated"])
@pytest.mark.parametrize(("kind", "context"), KINDS)
def test_a_run_after_a_whole_and_a_broken_one(kind: str, context: str, recreate: bool, plan: str) -> None:
    """The cache is told nothing: no pipeline finishes here, and no context says that a run is over."""
    model, cache, scheduler = set_up(kind)
    how = {"scheduler": scheduler, "context": context, "recreate": recreate}
    assert_right_streams(list(denoise(model, PLANS[plan], **how)))
    first = lines(cache)
    for broken_after in (0, 1, 2, 9):
        list(islice(denoise(model, PLANS[plan], seed=1, **how), broken_after))
        assert_right_streams(list(denoise(model, PLANS[plan], **how)))
        assert lines(cache) == first, f"after a run broken off at its call {broken_after}"


@pytest.mark.parametrize(("kind", "context"), KINDS)
def test_the_first_call_of_a_run_is_never_predicted(kind: str, context: str) -> None:
    """Also where it opens with a branch that the last step of the run before had left out."""
    model, _cache, scheduler = set_up(kind, threshold=1e6)  # all but the alignment is reused
    how = {"scheduler": scheduler, "context": context, "conditions": prompts()}
    for seed in range(3):
        calls = list(denoise(model, PLANS["up to a step, uncond first"], seed=seed, **how))
        assert [call.computed for call in calls[:6]] == [True] * 6
        assert_right_streams(calls)


@pytest.mark.parametrize("kind", ["module", "model", "pipeline"])
def test_a_guided_run_after_an_unguided_one_with_another_prompt(kind: str) -> None:
    model, cache, scheduler = set_up(kind)
    assert_right_streams(list(denoise(model, lambda step: [IMAGE], scheduler=scheduler)))
    calls = list(denoise(model, PLANS["on"], scheduler=scheduler))
    assert all(assert_right_streams(calls).values())
    assert len(cache.trace.runs) == 2


@pytest.mark.parametrize("kind", ["model", "pipeline"])
def test_the_count_of_steps_does_not_hang_on_one_branch(kind: str) -> None:
    model, cache, scheduler = set_up(kind)
    calls = list(denoise(model, PLANS["up to a step, uncond first"], scheduler=scheduler, context="index"))
    (run,) = cache.trace.runs
    computed = {call.step for call in calls if call.computed}
    assert (run.length, run.computed) == (STEPS, len(computed))


@pytest.mark.parametrize("plan", ["off", "on", "three", "in a window", "perturbed"])
@pytest.mark.parametrize("kind", ["module", "model", "pipeline"])
def test_without_any_conditioning_to_look_at_the_order_decides(kind: str, plan: str) -> None:
    model, cache, scheduler = set_up(kind, call=navicache.CallSpec(conditioning=()))
    calls = list(denoise(model, PLANS[plan], scheduler=scheduler))
    assert all(assert_right_streams(calls).values())
    assert {step.index for step in cache.trace.runs[-1].steps} == set(range(STEPS))
    assert kind != "pipeline" or len(cache.trace.runs) == 1


@pytest.mark.parametrize("context", ["name", "index"])
@pytest.mark.parametrize("kind", ["model", "pipeline"])
def test_names_need_no_conditioning(kind: str, context: str) -> None:
    model, cache, scheduler = set_up(kind, call=navicache.CallSpec(conditioning=()))
    calls = list(denoise(model, OPENS["in a window, uncond first"], scheduler=scheduler, context=context))
    assert all(assert_right_streams(calls).values())
    (run,) = cache.trace.runs
    assert run.streams == ("cond", "uncond")
