"""Which steps each guard insists on, and what it says; the law they all obey is test_guard_law.py."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from navicache.policies import Decision, Outcome, Step, add_guards
from navicache.policies.guards import (
    AlignmentGuard,
    ComputeGuard,
    FiniteGuard,
    LastStepsGuard,
    LongestReuseGuard,
    is_aligning,
)


@dataclass(frozen=True)
class Scripted:
    """Answers from a list; its state counts how often it was asked and taught."""

    answers: tuple[bool, ...]
    streams: Any = "each"
    rows: Any = "call"
    reads: frozenset[Any] = frozenset({"since_seen"})

    def init(self) -> tuple[int, int]:
        return (0, 0)

    def decide(self, state, step: Step):
        return Decision(self.answers[step.index], "script"), (state[0] + 1, state[1])

    def learn(self, state, outcome: Outcome):
        return (state[0], state[1] + 1)

    def explain(self, state):
        return {"accumulated": float(state[0])}


def run(gate: Any, total: int, told: int | None, size: Any = lambda i: 1.0) -> tuple[list[Decision], Any]:
    state, gap, decisions = gate.init(), 0, []
    for i in range(total):
        decision, state = gate.decide(state, Step(index=i, local_index=i, total=told, gap=gap, since_seen=size(i)))
        if decision.compute:
            state = gate.learn(state, Outcome(index=i, local_index=i, total=told, output_magnitude=size(i)))
        gap = 1 if decision.compute else gap + 1
        decisions.append(decision)
    return decisions, state


@limits(max_examples=100, deadline=None)
@given(
    answers=st.lists(st.booleans(), min_size=1, max_size=30),
    align_steps=st.integers(1, 12),
    last_step=st.booleans(),
    longest_reuse=st.none() | st.integers(0, 5),
    told=st.booleans(),
    broken=st.sets(st.integers(0, 30)),
)
def test_only_ever_more_computes(answers, align_steps, last_step, longest_reuse, told, broken):
    total = len(answers)
    size = lambda i: math.nan if i in broken else 1.0  # noqa: E731
    inner = Scripted(tuple(answers))
    gate = add_guards(inner, align_steps=align_steps, last_step=last_step, longest_reuse=longest_reuse)
    decisions, _ = run(gate, total, total if told else None, size)
    reuses = 0
    for i, (decision, answer) in enumerate(zip(decisions, answers, strict=True)):
        must = i < align_steps or i in broken or (last_step and told and i == total - 1)
        must = must or (longest_reuse is not None and reuses >= longest_reuse)
        assert decision.compute == (answer or must)
        assert (decision.reason == "script") == (not must)
        reuses = 0 if decision.compute else reuses + 1


@pytest.mark.parametrize(
    "guard", [ComputeGuard, lambda g: AlignmentGuard(g, 3), LastStepsGuard, lambda g: LongestReuseGuard(g, 1)]
)
def test_the_gate_inside_is_always_asked_and_taught(guard):
    decisions, (asked, taught) = run(guard(Scripted((False,) * 8)), 8, 8)
    assert asked == 8
    assert taught == sum(v.compute for v in decisions)


@pytest.mark.parametrize(
    "guard",
    [ComputeGuard, lambda g: AlignmentGuard(g, 3), LastStepsGuard, lambda g: LongestReuseGuard(g, 1), FiniteGuard],
)
def test_a_guard_passes_on_what_the_gate_is(guard):
    inner = Scripted((True,))
    wrapped = guard(inner)
    assert (wrapped.streams, wrapped.rows, wrapped.reads) == ("each", "call", frozenset({"since_seen"}))
    assert wrapped.init() == inner.init()
    assert wrapped.explain((3, 1)) == {"accumulated": 3.0}


def test_reasons_name_the_guard():
    decisions, _ = run(
        add_guards(Scripted((False,) * 9), align_steps=2, last_step=True, longest_reuse=2), 9, 9, lambda i: 1.0
    )
    assert [v.reason for v in decisions] == [
        *("align", "align", "script", "script", "longest reuse", "script", "script", "longest reuse", "last step")
    ]


def test_beyond_the_announced_end_computes():
    assert LastStepsGuard(Scripted((False,) * 9)).decide((0, 0), Step(index=8, local_index=8, total=5))[0].compute


def test_joining_in_mid_run_aligns_shortly():
    """The second expert of Wan 2.2 starts at, say, step 26: two steps suffice for a ratio."""
    gate = AlignmentGuard(Scripted((False,) * 40), 10)
    computed = [gate.decide((0, 0), Step(index=26 + i, local_index=i))[0].compute for i in range(4)]
    assert computed == [True, True, False, False]
    assert is_aligning(Step(26, 0), 1)
    assert not is_aligning(Step(27, 1), 1)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("measurement", ["since_seen", "since_computed", "output_magnitude", "by_channel"])
def test_a_step_that_cannot_be_trusted(measurement, bad):
    gate = FiniteGuard(Scripted((False,)))
    broken = {measurement: (1.0, bad, 2.0) if measurement == "by_channel" else bad}
    # The gate is asked all the same, about the step without its broken part, so that its clock keeps running.
    assert gate.decide((0, 0), Step(index=0, local_index=0, **broken)) == (Decision(True, "not finite"), (1, 0))
    assert gate.decide((0, 0), Step(index=0, local_index=0)) == (Decision(False, "script"), (1, 0))


def test_what_is_broken_is_not_passed_on():
    class Pupil(Scripted):
        def learn(self, state, outcome: Outcome):
            return outcome

    whole = Outcome(index=4, local_index=4, gap=2, input_change=0.5, output_change=1.0, output_magnitude=2.0)
    gate: Any = FiniteGuard(Pupil((True,)))
    assert gate.learn((0, 0), whole) == whole
    assert gate.learn((0, 0), whole._replace(output_change=math.nan)) == whole._replace(output_change=None)
    assert gate.learn((0, 0), whole._replace(input_by_channel=(math.inf, 1.0))) == whole
