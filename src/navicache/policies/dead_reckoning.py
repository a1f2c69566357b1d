"""Predictors that carry the output on along its measured course: our own, and plain Taylor extrapolation.

    y_i ~ y_j + a b_1 + c b_2 + e        estimator/calibration.py says what the bases are

The dampings a and c are measured at every compute, where guess and truth are both known, and each is tracked by a
scalar Kalman filter. Where extrapolation does not help they go to zero, and what is left is holding the output.

    e = (1 - sigma)^(3/4) min(1, 2a) ((x_i - x_j) - (x_j - x_k) g_0 / g_1)

is where the input has departed from its own straight course. The slope was measured along that course; a sampler that
is handed predictions leaves it, and a model that is handed the latent would answer: the less, the more of it is noise.

    y_i ~ ... + min(1, 2a) m / 2,     m = y_j - what was predicted for it,     where step j followed reused ones

makes amends. If a prediction was off by m at the end of its gap, those within it were off by m / 2 in the mean, and the
latent has moved along them: half of m, added at as many steps, takes it back.

The damping that fits best along a true course is too large in a cached run: what it adds beyond the course is steered
back by the model and spoils the next slope. The more so the farther a slope is carried: so it can be given a horizon,
by which it has faded to nothing.
"""

from dataclasses import dataclass
from typing import NamedTuple

from navicache.estimator import Gaussian, Walk, best_curve, best_damping, curve_reaches, slope_reach
from navicache.policies.predictors import OUTPUT
from navicache.policies.protocols import Coefficient, Outcome, Products, Step, Weights

START, MOST = 1.0, 1.3  # damping believed at first, and the largest
FADE = 0.75  # from a half to one the quality differs by less than can be told apart


class Course(NamedTuple):
    """Beliefs about the dampings, one per channel or one in all; empty before the first measurement."""

    slope: tuple[Gaussian, ...] = ()
    curve: tuple[Gaussian, ...] = ()


@dataclass(frozen=True)
class DeadReckoning:
    """Carry the newest slope on, damped as measured.

    Example:
        >>> DeadReckoning(horizon=4).weights(Course(), Step(index=6, own_index=6, gaps=(2, 1)))
        Weights(input=0.0, references=((0.0, 2.5), (0.0, -1.5)), missed=0.0)
    """

    process_noise: float = 0.05
    measurement_noise: float = 0.05
    by_channel: bool = False
    curved: bool = False
    horizon: int | None = None  # steps over which a slope fades to nothing; None: it is carried on as far as needed
    carried: float = 1.0  # share of the slope, beside its damping
    departure: bool = False  # the output goes along where the input departs from its course
    amends: float = 0.0  # share of what the newest prediction had missed by, added to the next ones

    @property
    def order(self) -> int:
        """Two computed steps give a slope, three its change."""
        return 3 if self.curved else 2

    @property
    def products(self) -> Products:
        """Of the moves, for the best dampings."""
        return "by_channel" if self.by_channel else "whole"

    @property
    def keeps_inputs(self) -> bool:
        """Outputs are enough, unless the input's own course is looked at."""
        return self.departure

    @property
    def keeps_missed(self) -> bool:
        """What was missed is only needed to make amends."""
        return self.amends > 0

    def init(self) -> Course:
        """No damping measured."""
        return Course()

    def weights(self, state: Course, step: Step) -> Weights:
        """The bases as multiples of the kept outputs."""
        if len(step.gaps) < 2:
            return OUTPUT
        slope = state.slope or (Gaussian(START, 1.0),)
        steady = min(1.0, 2.0 * sum(belief.mean for belief in slope) / len(slope))  # 0: no course to hold on to
        moved = self._moved(slope, state.curve, step)
        moved = self._departing(moved, steady, step) if self.departure and step.fits else moved
        erred = bool(state.slope) and step.gaps[1] > 1  # steps before the newest compute were predicted, along a slope
        return moved._replace(missed=self.amends * steady) if erred else moved

    def _moved(self, slope: tuple[Gaussian, ...], curve: tuple[Gaussian, ...], step: Step) -> Weights:
        """Along the slope, and where its change was measured along that."""
        trust = self.trust(step.gaps[0])
        first = [trust * belief.mean * slope_reach(step.gaps) for belief in slope]
        second = [0.0] * len(first)
        if curve and len(step.gaps) > 2:
            of_new, of_old = (trust * reach for reach in curve_reaches(step.gaps))
            first = [a + belief.mean * of_new for a, belief in zip(first, curve, strict=True)]
            second = [belief.mean * of_old for belief in curve]
        return along_moves(first, second)

    def _departing(self, moved: Weights, steady: float, step: Step) -> Weights:
        """With the input's departure from its course."""
        answered = 1.0 if step.sigma is None else max(0.0, 1.0 - step.sigma) ** FADE
        share, reach = answered * self.trust(step.gaps[0]) * steady, slope_reach(step.gaps)
        inputs = (-share * (1.0 + reach), share * reach, 0.0)
        pairs = zip(inputs, moved.references, strict=False)
        return Weights(share, tuple((of_input, of_output) for of_input, (_, of_output) in pairs))

    def trust(self, gap: int) -> float:
        """What is left of the slope so many steps after the last computed one."""
        return self.carried * (1.0 if self.horizon is None else max(0.0, 1.0 - (gap - 1) / self.horizon))

    def learn(self, state: Course, outcome: Outcome) -> Course:
        """Follow the dampings that would have been best."""
        if outcome.products is None:
            return state
        channels = range(len(outcome.products[0][0]))
        tables = [[[entry[channel] for entry in row] for row in outcome.products] for channel in channels]
        pairs = [self._best(table, outcome.gaps) for table in tables]
        slope = self._follow(state.slope, START, [pair[0] for pair in pairs])
        return Course(slope, self._follow(state.curve, 0.0, [pair[1] for pair in pairs]) if self.curved else ())

    def _best(self, table: list[list[float]], gaps: tuple[int, ...]) -> tuple[float | None, float | None]:
        both = best_curve(table, gaps) if self.curved and len(gaps) > 2 else None
        first, second = both or (best_damping(table, gaps), None)
        held = None if first is None else min(max(first, 0.0), MOST)
        return held, None if second is None else min(max(second, -1.0), 1.0)

    def _follow(self, beliefs: tuple[Gaussian, ...], start: float, seen: list[float | None]) -> tuple[Gaussian, ...]:
        walk = Walk(self.process_noise, self.measurement_noise)
        before = beliefs or tuple(walk.start(start) for _ in seen)
        pairs = zip(before, seen, strict=True)
        return tuple(b if z is None else walk.correct(walk.predict(b, None), z, None)[0] for b, z in pairs)


@dataclass(frozen=True)
class Taylor:
    """Extrapolate through the newest computed outputs, undamped: order 0 holds, 1 is a line, 2 a parabola.

    Example:
        >>> Taylor(1).weights(None, Step(index=6, own_index=6, gaps=(2, 1)))
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    degree: int = 1
    products: Products = "none"
    keeps_inputs: bool = False
    keeps_missed: bool = False

    @property
    def order(self) -> int:
        """As many outputs as the polynomial has coefficients."""
        return self.degree + 1

    def init(self) -> None:
        """Nothing to remember."""

    def weights(self, state: None, step: Step) -> Weights:
        """Lagrange's weights of the outputs at hand."""
        del state
        places = [0]
        for gap in step.gaps[: self.order]:
            places.append(places[-1] + gap)
        nodes = places[1:]
        if not nodes:
            return OUTPUT
        return Weights(0.0, tuple((0.0, _lagrange(nodes, node)) for node in nodes))

    def learn(self, state: None, outcome: Outcome) -> None:
        """Nothing to learn."""
        del state, outcome


def along_moves(first: list[float], second: list[float]) -> Weights:
    """y_j + first * (y_j - y_k) + second * (y_k - y_l), channel by channel where there are several."""
    outputs = [[1 + a for a in first], [c - a for a, c in zip(first, second, strict=True)], [-c for c in second]]
    kept = outputs if any(second) else outputs[:2]
    return Weights(0.0, tuple((0.0, _coefficient(values)) for values in kept))


def _coefficient(values: list[float]) -> Coefficient:
    return values[0] if len(values) == 1 else tuple(values)


def _lagrange(nodes: list[int], node: int) -> float:
    """Weight of the output `node` steps back in the polynomial through all nodes, taken at 0."""
    weight = 1.0
    for other in nodes:
        if other != node:
            weight *= other / (other - node)
    return weight
