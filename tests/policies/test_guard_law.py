"""The law of guards, over every guard there is: compute in, compute out, and the gate inside is asked as if alone."""

import inspect
import math
from dataclasses import dataclass, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from navicache.policies import Decision, Outcome, Step, find_nonfinite_fields, guards
from navicache.policies.budget import BudgetGate, StepListGate
from navicache.policies.guards import ComputeGuard, GateWrapper, LastStepsGuard
from navicache.policies.measured_fields import MEASURED_FIELDS

GUARDS = [kind for _, kind in inspect.getmembers(guards, inspect.isclass) if issubclass(kind, ComputeGuard)]
each_guard = pytest.mark.parametrize("kind", GUARDS)

measurements = st.none() | st.floats(0, 1e9) | st.sampled_from([math.nan, math.inf, -math.inf])
vectors = st.none() | st.tuples(measurements.filter(lambda number: number is not None))
places = st.integers(0, 60)


def drawn(kind: type, *told: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any measurements, with the numbers of steps that are told."""
    of_tuples = {"by_channel", "input_by_channel", "output_by_channel"}
    known: dict[str, st.SearchStrategy[Any]] = {
        name: vectors if name in of_tuples else measurements
        for name in MEASURED_FIELDS[kind]
        if name != "inner_products"
    }
    known |= {name: places for name in told} | {"total": st.none() | places}
    return st.fixed_dictionaries(known)


steps = drawn(Step, "index", "local_index", "gap").map(lambda known: Step(**known))
outcomes = drawn(Outcome, "index", "local_index", "gap").map(lambda known: Outcome(**known))


@dataclass(frozen=True)
class Scripted:
    """Always of one mind; its state is all that it was ever asked and taught."""

    decision: Decision
    streams, rows, reads = "each", "sample", frozenset({"by_channel"})

    def init(self) -> tuple[Any, ...]:
        return ()

    def decide(self, state, step):
        return self.decision, (*state, step)

    def learn(self, state, outcome):
        return (*state, outcome)

    def explain(self, state):
        return {"accumulated": float(len(state))}


@st.composite
def around(draw: st.DrawFn, kind: type[ComputeGuard[Any]], inner: Scripted) -> ComputeGuard[Any]:
    """A guard of that kind with any numbers for its knobs."""
    knobs = [f.name for f in fields(kind) if f.name != "inner_gate"]
    return kind(inner, **{knob: draw(st.integers(0, 40)) for knob in knobs})


def whole(facts: Step | Outcome) -> Step | Outcome:
    return facts._replace(**dict.fromkeys(find_nonfinite_fields(facts)))


@each_guard
@limits(deadline=None)
@given(data=st.data(), state=st.lists(st.integers()).map(tuple), step=steps, outcome=outcomes, compute=st.booleans())
def test_a_guard_turns_no_compute_into_a_reuse(kind, data, state, step, outcome, compute):
    inner = Scripted(Decision(compute, "script"))
    guard = data.draw(around(kind, inner))
    decision, after = guard.decide(state, step)
    assert decision.compute or not compute
    assert decision == inner.decision or (decision.compute and decision.reason != "script")
    # FiniteGuard alone shows the gate less than there was: nothing that is NaN or infinite.
    assert repr(after) in {repr(inner.decide(state, seen)[1]) for seen in (step, whole(step))}
    assert repr(guard.learn(state, outcome)) in {repr(inner.learn(state, known)) for known in (outcome, whole(outcome))}
    assert (guard.init(), guard.explain(state)) == (inner.init(), inner.explain(state))
    assert (guard.streams, guard.rows, guard.reads) == (inner.streams, inner.rows, inner.reads)


@each_guard
def test_a_guard_that_insists_on_nothing_would_be_none(kind):
    """Each has a step at which it turns a reuse into a compute; the base class has none."""
    inner = Scripted(Decision(False, "script"))
    guard = kind(inner, **{f.name: 1 for f in fields(kind) if f.name != "inner_gate"})
    asked = (
        Step(index=0, local_index=0),
        Step(index=5, local_index=5, total=6),
        Step(index=5, local_index=5, gap=3),
        Step(index=5, local_index=5, output_magnitude=math.nan),
    )
    turned = [guard.decide((), step)[0].compute for step in asked]
    assert sum(turned) == (kind is not ComputeGuard)


def test_all_guards_of_the_package_are_met():
    assert {ComputeGuard, LastStepsGuard} < set(GUARDS)
    assert set(GUARDS) == {ComputeGuard, *descendants(ComputeGuard)}, "a guard lives in guards.py"


def descendants(kind: type) -> set[type]:
    return {kind for below in kind.__subclasses__() for kind in (below, *descendants(below))}


@pytest.mark.parametrize("gate", [BudgetGate(speedup=50.0, align_steps=1), StepListGate(computed_steps=(0, 9))])
def test_what_decides_by_its_own_schedule_is_no_guard(gate):
    assert not isinstance(gate, GateWrapper)
    assert not gate.decide(gate.init(), Step(index=5, local_index=5, total=50))[0].compute
