"""Loops nobody would write: random branches in random order, runs broken off anywhere, the next one quite different."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from tests.integrations.kinds import KINDS, set_up
from tests.integrations.toys import COND, IMAGE, UNCOND, Branch, assert_right_streams, denoise, prompts

STEPS = 12
FOREVER = 10**6
LOOPS = 40


def random_plan(rng: random.Random) -> list[list[Branch]]:
    """The branches of every step: always the same, others in a window, or anything."""
    some = [rng.sample([COND, UNCOND, IMAGE], rng.randint(1, 3)) for _ in range(STEPS)]
    first, last = sorted(rng.sample(range(STEPS + 1), 2))
    windowed = [some[1] if first <= step < last else some[0] for step in range(STEPS)]
    return rng.choice([[some[0]] * STEPS, [some[0]] * STEPS, windowed, some])


def initials(plan: list[list[Branch]]) -> str:
    return " ".join("".join(branch.name[0] for branch in branches) for branches in plan)


@pytest.mark.parametrize(("kind", "context"), KINDS)
def test_any_loop(kind: str, context: str) -> None:
    for seed in range(LOOPS):
        rng = random.Random(f"{kind} {context} {seed}")
        how = {"context": context, "recreate": rng.random() < 0.5, "conditions": rng.choice([None, prompts()])}
        model, cache, scheduler = set_up(kind, threshold=rng.choice([3e-4, 1e-3, 1e6]), steps=rng.choice([None, STEPS]))
        story = [f"seed {seed}, {how['recreate']=}, shared={how['conditions'] is not None}"]
        for number in range(1, 4):
            plan, end = random_plan(rng), rng.choice([FOREVER, FOREVER, rng.randint(1, 30)])
            story.append(f"{initials(plan)}, the first {end} calls")
            loop = denoise(model, lambda step, p=plan: p[step], scheduler=scheduler, steps=STEPS, seed=number, **how)
            calls = list(islice(loop, end))
            first = [call for call in calls if call.step < 2]
            assert all(call.computed for call in first), story
            try:
                assert_right_streams(calls)
            except (AssertionError, KeyError) as error:
                raise AssertionError(story) from error
            if kind == "pipeline":  # its scheduler tells where a run begins, so there can be no doubt
                assert len(cache.trace.runs) == number, story
                lines = [(step.index, step.computed) for step in cache.trace.runs[-1].steps]
                assert lines == [(call.step, call.computed) for call in calls], story


@pytest.mark.parametrize(("kind", "context"), KINDS)
def test_broken_off_between_two_calls_of_a_step(kind: str, context: str) -> None:
    """The next run opens with the branch that was due: it is no follower of a step of the run before."""
    model, cache, scheduler = set_up(kind, threshold=1e6)
    how = {"scheduler": scheduler, "context": context, "conditions": prompts()}
    list(islice(denoise(model, lambda step: [UNCOND, COND], **how), 11))
    calls = list(denoise(model, lambda step: [COND], seed=1, **how))
    assert [call.computed for call in calls[:4]] == [True, True, True, False]
    assert_right_streams(calls)
    assert len(cache.trace.runs) == 2


@pytest.mark.parametrize(("kind", "context"), KINDS)
def test_guidance_at_the_last_step_only(kind: str, context: str) -> None:
    model, cache, scheduler = set_up(kind, steps=STEPS)
    how = {"scheduler": scheduler, "context": context, "conditions": prompts(), "steps": STEPS}
    for number in range(1, 3):
        calls = list(denoise(model, lambda step: [COND, UNCOND] if step == STEPS - 1 else [COND], **how))
        assert_right_streams(calls)
        assert len(cache.trace.runs) == number
        assert len(cache.trace.runs[-1].steps) == len(calls)
