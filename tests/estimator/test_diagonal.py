"""Several ratios at once are several filters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.estimator import DiagonalFilter, DriftFilter, NoiseSchedule, RandomWalkFilter

SCHEDULE = NoiseSchedule(((0.0, 0.2), (1.0, 0.01)))
vectors = st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), max_size=5)


@pytest.mark.parametrize(
    "knobs", [RandomWalkFilter(), DriftFilter(), RandomWalkFilter(SCHEDULE, 0.1), DriftFilter(0.1, SCHEDULE)]
)
@given(pairs=vectors, progress=st.one_of(st.none(), st.floats(0.0, 1.0)))
def test_diagonal_is_a_loop(knobs: Any, pairs: list[tuple[float, float]], progress: float | None):
    diagonal: DiagonalFilter[Any] = DiagonalFilter(knobs)
    means, z = tuple(mean for mean, _ in pairs), tuple(ratio for _, ratio in pairs)
    starts = diagonal.start_beliefs(means)
    assert starts == tuple(knobs.start(mean) for mean in means)
    priors = diagonal.predict(starts, progress)
    assert priors == tuple(knobs.predict(start, progress) for start in starts)
    beliefs, gains = diagonal.correct(priors, z, progress)
    loop = [knobs.correct(prior, ratio, progress) for prior, ratio in zip(priors, z, strict=True)]
    assert list(zip(beliefs, gains, strict=True)) == loop
    assert diagonal.extract_ratios(beliefs) == tuple(knobs.ratio(belief) for belief in beliefs)


def test_ratios_do_not_mix():
    diagonal = DiagonalFilter(DriftFilter())
    alone, _ = diagonal.correct(diagonal.predict(diagonal.start_beliefs((1.0,)), None), (2.0,), None)
    among, _ = diagonal.correct(diagonal.predict(diagonal.start_beliefs((5.0, 1.0)), None), (-7.0, 2.0), None)
    assert among[1] == alone[0] != among[0]


@pytest.mark.parametrize("z", [(), (1.0,), (1.0, 2.0, 3.0)])
def test_lengths_must_agree(z: tuple[float, ...]):
    diagonal = DiagonalFilter(RandomWalkFilter())
    with pytest.raises(ValueError, match=f"{len(z)} ratios for 2 beliefs: observe"):
        diagonal.correct(diagonal.start_beliefs((0.0, 0.0)), z, None)
