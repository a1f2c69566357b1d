"""Predictions that build on predictions, against a loop that keeps every one of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_outputs as plain

from navicache.policies.linear_recurrence import LinearRecurrence, TableStepsGate, expand_to_computed_outputs
from navicache.policies.protocols import Step


@limits(deadline=None, max_examples=60)
@given(st.integers(2, 12), st.data())
def test_computed_outputs_are_all_it_takes(steps, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    table = tuple(tuple(rng.normal(size=i)) for i in range(1, steps))
    computed = {0, *data.draw(st.sets(st.integers(1, steps - 1)))}
    outputs = list(rng.normal(size=(steps, 3)))
    given_out = plain.l2p(outputs, [[*row, *[0.0] * steps] for row in table], computed)
    for index in sorted(set(range(steps)) - computed):
        before = sorted((step for step in computed if step < index), reverse=True)
        shares = expand_to_computed_outputs(table, index, before)
        made = sum(share * outputs[step] for share, step in zip(shares, before, strict=True))
        np.testing.assert_allclose(made, given_out[index], rtol=1e-9, atol=1e-9)


def test_what_was_lost_stands_as_the_oldest_that_is_left():
    assert expand_to_computed_outputs(((1.0,), (0.25, 0.75), (0.5, 0.25, 0.25)), 3, [2]) == [1.0]
    assert expand_to_computed_outputs(((1.0,), (0.25, 0.75), (0.5, 0.25, 0.25)), 3, [2, 1]) == [0.25, 0.75]


@pytest.mark.parametrize(("local_index", "gaps"), [(0, ()), (2, ()), (4, (1, 1))])
def test_outside_the_table_the_newest_output_is_held(local_index, gaps):
    predictor = LinearRecurrence(((1.0,), (-1.0, 2.0), (0.0, -1.0, 2.0)))
    assert predictor.weights(None, Step(index=9, local_index=local_index, gaps=gaps)).references == ((0.0, 1.0),)


def test_the_gate_counts_as_outputs_are_counted_and_computes_beyond_the_table():
    gate = TableStepsGate(computed_steps=frozenset({0, 2}), table_steps=4)
    due = [gate.decide(None, Step(index=20 + i, local_index=i))[0].compute for i in range(6)]
    assert due == [True, False, True, False, True, True]
