"""Initial alignment in its three published forms, by hand arithmetic."""

from typing import Any, get_args

import pytest

from navicache.estimator import (
    AlignmentForm,
    DiagonalFilter,
    DriftFilter,
    Gaussian,
    NoiseSchedule,
    RandomWalkFilter,
    align_beliefs,
)

RATIOS = ((4.0, 1.0), (1.0, 3.0), (1.0, 2.0))
# shared/baselines/navicache.json, derived: Q = R = 0.05, P0 = 1, eps = 1e-8
OFFICIAL_GAINS = [0.954545, 0.661538, 0.624277, 0.618943, 0.618166, 0.618053, 0.618037, 0.618034]


def _run(knobs: Any, form: AlignmentForm, ratios: Any) -> list[tuple[Any, Any]]:
    diagonal: DiagonalFilter[Any] = DiagonalFilter(knobs)
    beliefs: Any = None
    history: list[tuple[Any, Any]] = []
    for count, z in enumerate(ratios):
        beliefs, gains = align_beliefs(diagonal, form, beliefs, count, z, None)
        history.append((beliefs, gains))
    return history


def test_mean():
    history = _run(RandomWalkFilter(initial_variance=0.7), "mean", RATIOS)
    means = [[belief.mean for belief in beliefs] for beliefs, _ in history]
    assert means == [[4.0, 1.0], [2.5, 2.0], pytest.approx([2.0, 2.0], rel=1e-15)]
    assert {belief.variance for beliefs, _ in history for belief in beliefs} == {0.7}
    assert [gains for _, gains in history] == [(1.0, 1.0), (0.5, 0.5), (1 / 3, 1 / 3)]


def test_newest():
    history = _run(RandomWalkFilter(initial_variance=0.7), "newest", RATIOS)
    expected = [tuple(Gaussian(ratio, 0.7) for ratio in z) for z in RATIOS]
    assert [beliefs for beliefs, _ in history] == expected
    assert {gains for _, gains in history} == {(1.0, 1.0)}


def test_filtered_gains_are_the_official_ones():
    history = _run(RandomWalkFilter(), "filtered", [(2.0,)] * len(OFFICIAL_GAINS))
    assert [gains[0] for _, gains in history] == pytest.approx(OFFICIAL_GAINS, abs=6e-7)
    # from mean zero, so 2 (1 - product of (1 - K)) after each ratio
    missing = 2.0
    for (beliefs, _), official in zip(history, OFFICIAL_GAINS, strict=True):
        missing *= 1.0 - official
        assert beliefs[0].mean == pytest.approx(2.0 - missing, abs=1e-6)


def test_gains_after_alignment_start_high_unless_filtered():
    walk = DiagonalFilter(RandomWalkFilter())
    first: dict[str, float] = {}
    for form in get_args(AlignmentForm):
        beliefs = _run(RandomWalkFilter(), form, [(1.0,)] * 5)[-1][0]
        first[form] = walk.correct(walk.predict(beliefs, None), (1.0,), None)[1][0]
    assert first == pytest.approx({"mean": 0.954545, "newest": 0.954545, "filtered": 0.618053}, abs=1e-6)


@pytest.mark.parametrize("form", ["mean", "newest"])
def test_a_restart_forgets_the_drift(form: AlignmentForm):
    drift = DriftFilter()
    moved, _ = drift.correct(drift.predict(drift.start_belief(0.0), None), 1.0, None)
    assert moved.drift > 0.1
    beliefs, _ = align_beliefs(DiagonalFilter(drift), form, (moved,), 1, (moved.ratio,), None)
    assert beliefs == (drift.start_belief(moved.ratio),)


def test_second_alignment_with_beliefs_at_hand():
    diagonal, old = DiagonalFilter(RandomWalkFilter(0.5, 0.5, epsilon=0.0)), (Gaussian(0.1, 1.0),)
    for form in ("mean", "newest"):
        # to the bit, however far the old belief was
        assert align_beliefs(diagonal, form, (Gaussian(1e17, 1.0),), 0, (0.3,), None) == ((Gaussian(0.3, 1.0),), (1.0,))
    beliefs, gains = align_beliefs(diagonal, "filtered", old, 0, (0.3,), None)
    assert gains == (0.75,)
    assert beliefs[0] == pytest.approx((0.25, 0.375))


def test_filtered_reads_the_schedules():
    diagonal = DiagonalFilter(RandomWalkFilter(NoiseSchedule(((0.0, 0.0), (1.0, 2.0))), 1.0, 1.0, 0.0))
    gains = [align_beliefs(diagonal, "filtered", None, 0, (1.0,), progress)[1][0] for progress in (0.0, None, 1.0)]
    assert gains == [1 / 2, 2 / 3, 3 / 4]


@pytest.mark.parametrize(
    ("form", "beliefs", "count", "z", "message"),
    [
        ("median", None, 0, (1.0,), "unknown alignment form 'median': choose one of mean, newest, filtered"),
        ("mean", None, -1, (1.0,), "count is -1"),
        ("mean", None, 1, (1.0,), "beliefs is None after 1 ratios: pass"),
        ("filtered", None, 2, (1.0,), "beliefs is None after 2 ratios: pass"),
        ("mean", (Gaussian(0.0, 1.0),), 1, (1.0, 2.0), "2 ratios for 1 beliefs"),
        ("newest", (Gaussian(0.0, 1.0),), 1, (1.0, 2.0), "2 ratios for 1 beliefs"),
        ("filtered", (Gaussian(0.0, 1.0),), 1, (1.0, 2.0), "2 ratios for 1 beliefs"),
    ],
)
def test_errors(form: Any, beliefs: Any, count: int, z: Any, message: str):
    with pytest.raises(ValueError, match=message):
        align_beliefs(DiagonalFilter(RandomWalkFilter()), form, beliefs, count, z, None)
