"""Shapes and moves: lists of any length keep their budget, their ends and their order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navicache.evaluation.tuning.moves import list_moves
from navicache.evaluation.tuning.shapes import SHAPES, CostShape, list_shapes
from navicache.policies import build_policy
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.protocols import Step
from navicache.policies.schedule_forms import PLAIN, TEXT_FLOW


@settings(deadline=None)
@given(st.integers(6, 80), st.sampled_from([1.0, 3.0, 12.0]), st.data())
def test_every_shape_has_its_budget_in_order(total, shift, data):
    budget = data.draw(st.integers(2, total))
    levels = build_shifted_levels(total, shift)
    for name, shape in SHAPES.items():
        steps = shape.build(levels, budget)
        assert len(steps) == len(set(steps)) == budget and list(steps) == sorted(steps), name
        assert steps[0] == 0 and steps[-1] == total - 1, name


@pytest.mark.parametrize("form", [PLAIN, TEXT_FLOW])
@pytest.mark.parametrize("total", [20, 50])
def test_the_usual_shape_is_what_the_default_computes(form, total):
    levels, budget = build_shifted_levels(total, 3.0), round(total / 2.5)
    gate = build_policy("inertial", speedup=2.5).build_gate()
    state, computed = gate.init(), []
    for index in range(total):
        about = {"total": total, "noise_levels": levels, "has_text": form is TEXT_FLOW}
        decision, state = gate.decide(state, Step(index, index, **about))
        computed += [index] if decision.compute else []
    assert CostShape(form).build(levels, budget) == tuple(computed)


@pytest.mark.parametrize("form", [PLAIN, TEXT_FLOW])
def test_no_shape_is_listed_twice_nor_is_the_default(form):
    levels = build_shifted_levels(50, 3.0)
    lists = list_shapes(levels, 20, form)
    assert len(lists) > 8 and len(set(lists.values())) == len(lists)
    assert CostShape(form).build(levels, 20) not in lists.values()


@settings(deadline=None)
@given(st.integers(4, 60), st.data())
def test_a_move_keeps_the_budget_and_both_ends_and_changes_one_compute(total, data):
    inner = data.draw(st.sets(st.integers(1, total - 2), max_size=total - 2))
    steps = (0, *sorted(inner), total - 1)
    for moved in list_moves(steps, total).values():
        assert len(moved) == len(set(moved)) == len(steps) and list(moved) == sorted(moved)
        assert moved[0] == 0 and moved[-1] == total - 1
        assert len(set(moved) - set(steps)) == 1


def test_a_list_of_every_step_cannot_be_moved():
    assert list_moves(range(10), 10) == {}
