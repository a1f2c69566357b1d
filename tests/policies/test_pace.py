"""The budget of computed steps: always met, and spent where errors grow."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navicache.estimator import Gaussian
from navicache.policies import Inertial, Outcome, Step
from navicache.policies.pace import INTEGRAL, PROPORTIONAL, PaceState, density

growths = st.floats(0.001, 10.0)


def computed_steps(policy, total, growth, start=0, sigma=None):
    """Drive the guarded gate through a run whose prediction errs by growth(step) times the distance travelled."""
    (scheme,) = policy.schemes()
    state, last, steps = scheme.gate.init(), None, []
    for index in range(start, total):
        own = index - start
        facts = Step(
            index=index,
            own_index=own,
            total=total,
            sigma=sigma,
            since_seen=None if own == 0 else 0.1,
            output_size=None if last is None else 1.0,
            gap=0 if last is None else index - last,
        )
        verdict, state = scheme.gate.decide(state, facts)
        if verdict.compute:
            gap = 0 if last is None else index - last
            error = None if last is None else growth(index) * 0.1 * gap
            outcome = Outcome(index=index, own_index=own, total=total, gap=gap, output_size=1.0, prediction_error=error)
            state, last = scheme.gate.learn(state, outcome), index
            steps.append(index)
    return steps


@settings(deadline=None)
@given(
    total=st.integers(15, 80),
    speedup=st.floats(1.0, 4.0),
    values=st.lists(growths, min_size=80, max_size=80),
)
def test_the_budget_is_met_whatever_the_errors_do(total, speedup, values):
    steps = computed_steps(Inertial(speedup=speedup), total, lambda index: values[index])
    budget = round(total / speedup)
    assert len(steps) == max(budget, 4)  # three to align, and the last
    assert steps[-1] == total - 1


def test_a_speedup_of_one_computes_everything():
    assert computed_steps(Inertial(speedup=1.0), 20, lambda _: 0.1) == list(range(20))


def test_where_errors_grow_faster_it_computes_more():
    def growth(index):
        return 0.1 if 20 <= index < 30 else 0.01

    hard = computed_steps(Inertial(speedup=2.0), 50, growth)
    easy = computed_steps(Inertial(speedup=2.0), 50, lambda _: 0.01)
    within = [sum(20 <= step < 30 for step in steps) for steps in (hard, easy)]
    assert within[0] > within[1]
    assert len(hard) == len(easy) == 25


@pytest.mark.parametrize("growth", [0.005, 0.5, 20.0])
def test_a_model_of_another_scale_is_caught_up_with(growth):
    """Errors a hundred times smaller or forty times larger than usual: the budget still reaches the end of the run."""
    steps = computed_steps(Inertial(speedup=2.5), 100, lambda _: growth)
    quarters = [sum(start <= step < start + 25 for step in steps) for start in (0, 25, 50, 75)]
    assert min(quarters) >= 3
    assert sum(quarters) == 40


def test_whoever_computed_more_than_expected_is_given_more_tolerance():
    gate = Inertial(speedup=2.0).gate()
    step = Step(index=25, own_index=25, total=50, sigma=0.5, since_seen=0.1, output_size=1.0, gap=1)
    inner = gate.init().inner._replace(growth=Gaussian(0.08, 1.0))
    tolerances = [gate.decide(PaceState(inner, spent), step)[1].inner.tolerance for spent in (12, 15, 18)]
    assert tolerances == sorted(tolerances)
    assert tolerances[2] / tolerances[1] == pytest.approx(math.exp(3 * (PROPORTIONAL + INTEGRAL)))


def test_an_engine_that_joins_in_mid_run_has_its_share():
    steps = computed_steps(Inertial(speedup=2.0), 50, lambda _: 0.5, start=20)
    assert len(steps) == 15


def test_without_a_step_count_it_is_the_error_gate():
    (scheme,) = Inertial(speedup=2.0).schemes()
    state = scheme.gate.init()
    state = scheme.gate.learn(state, Outcome(index=0, own_index=0, output_size=1.0))
    step = Step(index=6, own_index=6, sigma=0.5, since_seen=0.1, output_size=1.0, gap=1)
    assert scheme.gate.decide(state, step)[0].compute  # no error measured yet


def test_the_density_is_least_in_the_middle():
    values = [density(i / 100) for i in range(101)]
    assert min(values) == pytest.approx(1.0, abs=0.1)
    assert values.index(min(values)) in range(40, 80)
    assert all(math.isfinite(value) for value in values)


def test_a_step_beyond_the_told_number_is_the_error_gates():
    gate = Inertial(speedup=2.0).gate()
    state = PaceState(gate.init().inner._replace(growth=Gaussian(0.01, 1.0)), spent=25)
    step = Step(index=51, own_index=51, total=50, sigma=0.5, since_seen=0.1, output_size=1.0, gap=1)
    assert not gate.decide(state, step)[0].compute
