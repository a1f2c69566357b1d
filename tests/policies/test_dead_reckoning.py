"""Dead reckoning and Taylor: exact where the course is what they assume, and damped to nothing where there is none."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.drive import Kept, apply, drive

from navicache.estimator import Gaussian
from navicache.policies import DeadReckoning, Outcome, OutputHold, Scheme, Step, Taylor, Verdict, nonfinite_fields
from navicache.policies.dead_reckoning import MOST, START, Course
from navicache.policies.guards import Finite
from navicache.policies.predictors import OUTPUT

gap_lists = st.lists(st.integers(1, 9), min_size=4, max_size=4)
NOBODY = np.zeros((2, 3))


def at(gaps) -> Step:
    return Step(index=50, own_index=50, gap=gaps[0] if gaps else 0, gaps=tuple(gaps))


def polynomial(degree: int, seed: int = 0):
    """An output that is a polynomial in the step index, another one in every place."""
    factors = np.random.default_rng(seed).normal(size=(degree + 1, 2, 3))
    return lambda i: sum(factor * (i / 10) ** power for power, factor in enumerate(factors))


def kept_at(course, gaps) -> list[Kept]:
    """The outputs before step 50, newest first."""
    steps = 50 - np.cumsum(gaps)
    return [Kept(int(i), NOBODY, course(i)) for i in steps]


def lesson(*products, gaps=(1, 1), **more) -> Outcome:
    """A table of products, every entry the tuple of its channels."""
    return Outcome(index=9, own_index=9, gap=gaps[0], gaps=gaps, products=products, **more)


def moves(*moves, gaps=(1, 1), by_channel: bool = False) -> Outcome:
    """What was learnt from these moves, newest first; one number a channel."""
    rows = [np.atleast_1d(np.array(move, float)) for move in moves]
    table = [[a * b if by_channel else np.array([(a * b).mean()]) for b in rows] for a in rows]
    return lesson(*(tuple(tuple(entry.tolist()) for entry in row) for row in table), gaps=gaps)


def means(beliefs) -> list[float]:
    return [belief.mean for belief in beliefs]


# -- what the weights are ----------------------------------------------------------------------------------------------


@given(gaps=gap_lists, seed=st.integers(0, 99), degree=st.integers(0, 3))
def test_taylor_goes_on_with_a_polynomial_of_its_degree(gaps, seed, degree):
    course, predictor = polynomial(degree, seed), Taylor(degree)
    assert predictor.order == degree + 1
    guess = apply(predictor.weights(None, at(gaps)), NOBODY, kept_at(course, gaps))
    scale = sum(abs(w) for _, w in predictor.weights(None, at(gaps)).references)
    assert guess == pytest.approx(course(50), abs=1e-11 * scale * 1000)


@given(gaps=gap_lists, degree=st.integers(0, 3))
def test_taylor_weights_add_up_to_one(gaps, degree):
    weights = Taylor(degree).weights(None, at(gaps))
    assert weights.input == 0
    assert [of_x for of_x, _ in weights.references] == [0.0] * (degree + 1)
    size = sum(abs(w) for _, w in weights.references)
    assert sum(w for _, w in weights.references) == pytest.approx(1.0, abs=1e-12 * size)


def test_taylor_by_hand():
    def outputs(degree: int, *gaps: int) -> list[float]:
        return [w for _, w in Taylor(degree).weights(None, at(gaps)).references]

    assert outputs(0, 3, 1) == [1]
    assert outputs(1, 1, 1) == [2, -1]
    assert outputs(1, 3, 2) == [2.5, -1.5]
    assert outputs(2, 1, 1, 1) == [3, -3, 1]
    assert outputs(3, 1, 1, 1, 1) == [4, -6, 4, -1]
    assert outputs(2, 1, 1) == [2, -1], "of a parabola two points only: a line"
    assert outputs(2, 4) == [1], "one point: hold it"


@pytest.mark.parametrize(
    "predictor", [DeadReckoning(), DeadReckoning(curved=True), DeadReckoning(by_channel=True), Taylor(1), Taylor(3)]
)
def test_before_two_computes_the_output_is_held(predictor):
    state = predictor.init()
    assert predictor.weights(state, at(())) == OUTPUT
    assert predictor.weights(state, at((3,))) == OUTPUT
    assert predictor.weights(state, at((3, 1))) != OUTPUT
    assert predictor.learn(state, Outcome(index=1, own_index=1, gap=1, gaps=(1,))) == state


@given(gaps=gap_lists, seed=st.integers(0, 99))
def test_undamped_it_goes_on_with_a_line(gaps, seed):
    course = polynomial(1, seed)
    weights = DeadReckoning().weights(Course((Gaussian(1.0, 0.1),)), at(gaps[:2]))
    assert apply(weights, NOBODY, kept_at(course, gaps[:2])) == pytest.approx(course(50), abs=1e-9)
    assert [w for _, w in weights.references] == pytest.approx(
        [w for _, w in Taylor(1).weights(None, at(gaps)).references]
    )


@given(gaps=gap_lists, damping=st.floats(0, MOST))
def test_damped_it_goes_that_share_of_the_way(gaps, damping):
    course = polynomial(1)
    weights = DeadReckoning().weights(Course((Gaussian(damping, 0.1),)), at(gaps[:2]))
    newest = course(50 - gaps[0])
    assert apply(weights, NOBODY, kept_at(course, gaps[:2])) == pytest.approx(newest + damping * (course(50) - newest))


def test_weights_by_hand():
    course = Course((Gaussian(0.5, 0.1),))
    # The slope is (y_j - y_k) / 2; three steps of it, halved, are 0.75 of the move.
    assert DeadReckoning().weights(course, at((3, 2))).references == ((0.0, 1.75), (0.0, -0.75))
    # And with a curve of 0.25: (m_1 / 2 - m_2 / 1) * 9 / 2 / 4 = 0.5625 m_1 - 1.125 m_2.
    both = course._replace(curve=(Gaussian(0.25, 0.1),))
    weights = DeadReckoning(curved=True).weights(both, at((3, 2, 1))).references
    assert weights == ((0.0, 2.3125), (0.0, -0.75 - 0.5625 - 1.125), (0.0, 1.125))


def test_a_curve_waits_for_three_computes():
    both = Course((Gaussian(0.5, 0.1),), (Gaussian(0.25, 0.1),))
    assert DeadReckoning(curved=True).weights(both, at((3, 2))).references == ((0.0, 1.75), (0.0, -0.75))


@given(gaps=st.tuples(*[st.integers(1, 9)] * 3), seed=st.integers(0, 99), shares=st.tuples(*[st.floats(-1, 1)] * 2))
def test_curved_weights_are_the_bases_of_the_calibration(gaps, seed, shares):
    a, c = shares
    kept = kept_at(polynomial(3, seed), gaps)
    y, m1, m2 = kept[0].y, kept[0].y - kept[1].y, kept[1].y - kept[2].y
    b1 = m1 / gaps[1] * gaps[0]
    b2 = (m1 / gaps[1] - m2 / gaps[2]) * gaps[0] ** 2 / gaps[1]
    state = Course((Gaussian(a, 0.1),), (Gaussian(c, 0.1),))
    guess = apply(DeadReckoning(curved=True).weights(state, at(gaps)), NOBODY, kept)
    assert guess == pytest.approx(y + a * b1 + c * b2, rel=1e-9, abs=1e-9)


# -- what is learnt ----------------------------------------------------------------------------------------------------


def test_one_lesson_by_hand():
    """P = 1 + 0.05, K = 1.05 / 1.10: from 1 that share of the way to the measured 0.5."""
    state = DeadReckoning().learn(Course(), moves(1.0, 2.0))
    gain = 1.05 / (1.10 + 1e-8)
    assert state.slope[0] == pytest.approx((START + gain * (0.5 - START), gain * 0.05), rel=1e-6)
    assert state.curve == ()
    second = DeadReckoning().learn(state, moves(2.0, 2.0))
    prior = state.slope[0].variance + 0.05
    gain = prior / (prior + 0.05)
    assert second.slope[0].mean == pytest.approx(state.slope[0].mean + gain * (1 - state.slope[0].mean), rel=1e-6)


@pytest.mark.parametrize(
    ("newest", "gaps", "seen"),
    [(9.0, (1, 1), MOST), (-9.0, (1, 1), 0.0), (2.0, (2, 1), 1.0), (1.0, (1, 2), MOST)],
)
def test_what_is_measured_is_clamped_and_knows_its_gaps(newest, gaps, seen):
    """The move before was 1: with gaps of 2 and 1 the slope reaches 2, with 1 and 2 it reaches one half."""
    exact = DeadReckoning(measurement_noise=0.0)
    state = exact.learn(Course(), moves(newest, 1.0, gaps=gaps))
    assert state.slope[0].mean == pytest.approx(seen, abs=1e-6)


@pytest.mark.parametrize(("sign", "seen"), [(1, 1.0), (-1, -1.0)])
def test_the_curve_is_clamped(sign, seen):
    exact = DeadReckoning(measurement_noise=0.0, curved=True)
    state = exact.learn(Course(), moves([1.0, 9.0 * sign], [1.0, 0.0], [1.0, -1.0], gaps=(1, 1, 1)))
    assert state.slope[0].mean == pytest.approx(1.0, abs=1e-6)  # b_1 = (1, 0), b_2 = (0, 1)
    assert state.curve[0].mean == pytest.approx(seen, abs=1e-6)


@pytest.mark.parametrize(
    ("horizon", "gap", "left"), [(4, 1, 1.0), (4, 2, 0.75), (4, 5, 0.0), (4, 9, 0.0), (None, 9, 1.0)]
)
def test_a_slope_fades_over_its_horizon(horizon, gap, left):
    """Nine steps on, a slope of one a step has carried nine, or nothing."""
    weights = DeadReckoning(horizon=horizon).weights(Course(), Step(index=9, own_index=9, gaps=(gap, 1)))
    assert weights.references == ((0.0, 1 + left * gap), (0.0, -left * gap))


def test_the_curve_by_hand():
    exact = DeadReckoning(measurement_noise=0.0, curved=True)
    state = exact.learn(Course(), moves([0.5, 0.51], [1.0, 0.0], [1.0, -1.0], gaps=(1, 1, 1)))
    assert state.slope[0].mean == pytest.approx(0.5, abs=1e-6)
    assert state.curve[0].mean == pytest.approx(0.5, abs=1e-6)  # 0.51 less the ridge of 2 %


def test_with_two_moves_a_curved_predictor_learns_the_slope_alone():
    exact = DeadReckoning(measurement_noise=0.0, curved=True)
    state = exact.learn(Course(), moves(0.5, 1.0))
    assert means(state.slope) == pytest.approx([0.5], abs=1e-6)
    assert means(state.curve) == [0.0]


def test_one_coefficient_a_channel():
    predictor = DeadReckoning(measurement_noise=0.0, by_channel=True)
    assert predictor.products == "by_channel"
    assert DeadReckoning().products == "whole"
    state = predictor.learn(Course(), moves([1.0, 0.5, -3.0], [1.0, 1.0, 1.0], by_channel=True))
    assert means(state.slope) == pytest.approx([1.0, 0.5, 0.0], abs=1e-6)
    weights = predictor.weights(state, at((1, 1)))
    assert weights.references[0][1] == pytest.approx((2.0, 1.5, 1.0), abs=1e-6)
    assert weights.references[1][1] == pytest.approx((-1.0, -0.5, 0.0), abs=1e-6)


def test_a_channel_that_stands_still_keeps_what_it_knew():
    predictor = DeadReckoning(measurement_noise=0.0, by_channel=True)
    first = predictor.learn(Course(), moves([0.5, 0.5], [1.0, 1.0], by_channel=True))
    second = predictor.learn(first, moves([1.0, 1.0], [1.0, 0.0], by_channel=True))
    assert second.slope[1] == first.slope[1]
    assert means(second.slope) == pytest.approx([1.0, 0.5], abs=1e-6)


def test_nothing_moved_teaches_nothing():
    for predictor in (DeadReckoning(), DeadReckoning(curved=True)):
        state = predictor.learn(Course(), moves(*[0.0] * predictor.order, gaps=(1,) * predictor.order))
        assert means(state.slope) == [START]
        assert predictor.weights(state, at((1, 1))).references == ((0.0, 2.0), (0.0, -1.0))


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("by_channel", [False, True])
def test_states_are_never_changed(curved, by_channel):
    predictor = DeadReckoning(curved=curved, by_channel=by_channel)
    rng = np.random.default_rng(0)
    count = predictor.order
    first = predictor.learn(
        predictor.init(), moves(*rng.normal(size=(count, 2)), gaps=(1,) * count, by_channel=by_channel)
    )
    before = repr(first)
    second = predictor.learn(first, moves(*rng.normal(size=(count, 2)), gaps=(2,) * count, by_channel=by_channel))
    assert repr(first) == before != repr(second)
    assert len(second.slope) == (2 if by_channel else 1)
    assert len(second.curve) == (len(second.slope) if curved else 0)


# -- over a run --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """Computes the steps it is told."""

    steps: frozenset[int]
    streams: Any = "lead"
    rows: Any = "sample"
    reads: frozenset[Any] = frozenset({"since_seen"})

    def init(self) -> None:
        """Nothing."""

    def decide(self, state, step):
        return Verdict(step.index in self.steps, "told"), state

    def learn(self, state, outcome):
        """Nothing."""

    def explain(self, state):
        return {}


@dataclass
class Watched:
    """A predictor whose newest state can be looked at."""

    inside: Any
    states: list[Any]

    def __getattr__(self, name):
        return getattr(self.inside, name)

    def learn(self, state, outcome):
        self.states.append(self.inside.learn(state, outcome))
        return self.states[-1]


@dataclass(frozen=True)
class Policy:
    name: ClassVar[str] = "watched"
    predictor: Any
    steps: frozenset[int]
    align_steps: int = 2

    def schemes(self):
        return (Scheme("model", Told(self.steps), self.predictor),)


def follow(predictor, course, steps: set[int], total: int = 60):
    """Errors of the reused steps, and every state."""
    watched = Watched(predictor, [])
    video = [(np.full_like(course(i), i), course(i)) for i in range(total)]
    seen = drive(Policy(watched, frozenset(steps)), video)
    errors = [float(np.abs(r - y).mean()) for r, (_, y) in zip(seen.returned, video, strict=True)]
    return errors, watched.states


def irregular(total: int, seed: int = 0) -> set[int]:
    rng = np.random.default_rng(seed)
    return {0, 1, 2, 3, *np.cumsum(rng.integers(1, 5, size=total)).tolist()}


def line(i: int):
    return np.outer([1.0, -2.0, 3.0, 0.5], np.linspace(1, 2, 64)) * (1 + 0.3 * i)


def jumps(seed: int, total: int = 60, width: int = 1024):
    """A random walk: no move says anything about the next."""
    steps = np.random.default_rng(seed).normal(size=(total, 4, width)).cumsum(0)
    return lambda i: steps[i]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "predictor", [DeadReckoning(), DeadReckoning(by_channel=True), DeadReckoning(curved=True), Taylor(1), Taylor(2)]
)
def test_a_line_is_followed_exactly_whatever_the_gaps(predictor, seed):
    errors, states = follow(predictor, line, irregular(60, seed))
    assert max(errors[2:]) < 1e-9
    if isinstance(predictor, DeadReckoning):
        assert means(states[-1].slope) == pytest.approx([1.0] * len(states[-1].slope))


@pytest.mark.parametrize("seed", range(3))
def test_a_parabola_is_followed_exactly_whatever_the_gaps(seed):
    errors, _ = follow(Taylor(2), lambda i: line(i) + 0.1 * line(0)[::-1] * i**2, irregular(60, seed))
    assert max(errors[3:]) < 1e-8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("by_channel", [False, True])
def test_on_a_random_walk_the_damping_goes_and_the_output_is_held(seed, by_channel):
    steps = irregular(60, seed)
    errors, states = follow(DeadReckoning(by_channel=by_channel), jumps(seed), steps)
    held, _ = follow(OutputHold(), jumps(seed), steps)
    undamped, _ = follow(Taylor(1), jumps(seed), steps)
    assert max(means(states[-1].slope)) < 0.1
    assert all(0 <= mean <= MOST for state in states for mean in means(state.slope))
    assert sum(errors[10:]) == pytest.approx(sum(held[10:]), rel=0.05)
    assert sum(undamped[10:]) > 1.2 * sum(held[10:])


def test_a_course_that_halves_its_speed_at_every_compute_is_damped_by_half():
    _, states = follow(DeadReckoning(), lambda i: line(0) * 2.0**-i, set(range(20)), total=20)
    assert means(states[-1].slope) == pytest.approx([0.5], abs=1e-4)


def test_a_damping_per_channel_suits_channels_that_differ():
    """Two channels go straight on, two jump: one damping for all can only be wrong about both."""
    jumping = jumps(1, width=64)

    def course(i: int):
        return np.concatenate([10 * line(i)[:2], jumping(i)[2:]])

    steps = irregular(60)
    alone, states = follow(DeadReckoning(by_channel=True), course, steps)
    together, _ = follow(DeadReckoning(), course, steps)
    assert means(states[-1].slope) == pytest.approx([1, 1, 0, 0], abs=0.3)
    assert sum(alone[10:]) < 0.95 * sum(together[10:])


# -- an input that leaves its course ----------------------------------------------------------------------------------


def test_the_output_goes_along_where_the_input_departs():
    """Three steps on, the input is by (x_i - x_j) - 3/2 (x_j - x_k) off its course: so is the output."""
    step = Step(index=9, own_index=9, gaps=(3, 2))
    weights = DeadReckoning(departure=True).weights(Course((Gaussian(0.5, 0.1),)), step)
    assert weights.input == 1.0
    assert weights.references == ((-2.5, 1.75), (1.5, -0.75))
    assert DeadReckoning(departure=True).weights(Course((Gaussian(0.2, 0.1),)), step).input == pytest.approx(0.4)


@pytest.mark.parametrize(("sigma", "share"), [(1.0, 0.0), (15 / 16, 1 / 8), (0.0, 1.0), (1.1, 0.0)])
def test_noise_is_not_answered(sigma, share):
    """(1 - sigma)^(3/4): an eighth where a sixteenth of the latent is no noise."""
    step = Step(index=9, own_index=9, gaps=(3, 2), sigma=sigma)
    weights = DeadReckoning(departure=True).weights(Course((Gaussian(0.5, 0.1),)), step)
    assert weights.input == pytest.approx(share)
    assert weights.references[1] == pytest.approx((1.5 * share, -0.75))


def test_an_input_on_its_course_changes_nothing():
    """Whatever the share, the weights of inputs that lie on a line add up to nothing."""
    for gaps in ((1, 1), (3, 2), (2, 5)):
        step = Step(index=9, own_index=9, gaps=gaps)
        weights = DeadReckoning(departure=True).weights(Course(), step)
        places = (0, -gaps[0], -gaps[0] - gaps[1])
        of_inputs = (weights.input, *(of_input for of_input, _ in weights.references))
        assert sum(of_inputs) == pytest.approx(0)
        assert sum(w * (3 + 2 * p) for w, p in zip(of_inputs, places, strict=True)) == pytest.approx(0)


def test_without_a_slope_or_a_common_form_outputs_alone_count():
    predictor, plain = DeadReckoning(departure=True, curved=True), DeadReckoning(curved=True)
    for known in (
        Step(index=1, own_index=1, gaps=(1,)),
        Step(index=9, own_index=9, gaps=(3, 2, 1), fits=False),
    ):
        assert predictor.weights(Course(), known) == plain.weights(Course(), known)
    still = Course((Gaussian(0.0, 0.1),))
    held = predictor.weights(still, Step(index=9, own_index=9, gaps=(3, 2)))
    assert (held.input, held.references) == (0.0, ((0.0, 1.0), (0.0, 0.0)))


# -- what cannot be trusted --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 1)])
def test_broken_products_are_named_and_kept_away(bad, place):
    table = [[(1.0, 1.0), (0.5, 1.0)], [(0.5, 1.0), (1.0, 1.0)]]
    table[place[0]][place[1]] = (1.0, bad)
    outcome = lesson(*map(tuple, table), output_size=1.0)
    assert nonfinite_fields(outcome) == ("products",)

    @dataclass(frozen=True)
    class Asked(Told):
        def learn(self, state, outcome):
            return outcome

    assert Finite(Asked(frozenset())).learn(None, outcome) == outcome._replace(products=None)
    assert nonfinite_fields(lesson(*map(tuple, [[(1.0,)] * 2] * 2))) == ()


def test_a_lesson_without_products_teaches_nothing():
    predictor = DeadReckoning()
    state = predictor.learn(Course(), moves(1.0, 2.0))
    assert predictor.learn(state, moves(1.0, 2.0)._replace(products=None)) == state


@limits(deadline=None)
@given(
    entries=st.lists(st.floats(-1e30, 1e30), min_size=6, max_size=6),
    gaps=st.tuples(*[st.integers(1, 50)] * 3),
    curved=st.booleans(),
)
def test_any_finite_products_leave_finite_weights(entries, gaps, curved):
    a, b, c, d, e, f = ((entry,) for entry in entries)
    predictor = DeadReckoning(curved=curved)
    state = predictor.learn(Course(), lesson((a, b, c), (b, d, e), (c, e, f), gaps=gaps))
    state = predictor.learn(state, lesson((f, e, d), (e, c, b), (d, b, a), gaps=gaps[::-1]))
    assert 0 <= state.slope[0].mean <= MOST
    assert all(-1 <= belief.mean <= 1 for belief in state.curve)
    weights = predictor.weights(state, at(gaps))
    assert all(math.isfinite(w) for _, w in weights.references)
    assert sum(w for _, w in weights.references) == pytest.approx(1.0, abs=1e-9 * gaps[0] ** 2)
