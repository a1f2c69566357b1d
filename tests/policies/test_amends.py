"""When a predictor makes amends, and by how much."""

import pytest

from navicache.estimator import Gaussian
from navicache.policies import DeadReckoning, Inertial, Step


@pytest.mark.parametrize(
    ("damping", "gaps", "missed"),
    [
        (Gaussian(0.5, 0.1), (1, 2), 0.5),
        (Gaussian(1.2, 0.1), (3, 2), 0.5),
        (Gaussian(0.2, 0.1), (1, 2), 0.2),
        (Gaussian(0.0, 0.1), (1, 2), 0.0),
        (Gaussian(0.5, 0.1), (2, 1), 0.0),
        (None, (1, 2), 0.0),
        (Gaussian(0.5, 0.1), (1,), 0.0),
    ],
    ids=[
        "half",
        "far",
        "weak",
        "none",
        "no reuse before",
        "not measured",
        "one reference",
    ],
)
def test_amends_where_steps_before_the_newest_compute_were_predicted(damping, gaps, missed):
    weights = DeadReckoning(amends=0.5).weights(damping, Step(index=9, own_index=9, gaps=gaps))
    assert weights.missed == pytest.approx(missed)
    assert weights._replace(missed=0.0) == DeadReckoning().weights(damping, Step(index=9, own_index=9, gaps=gaps))
    assert DeadReckoning(amends=0.5).keeps_missed
    assert not DeadReckoning().keeps_missed


@pytest.mark.parametrize("knobs", [{"max_error": 0.05}, {"amends": 0.0}, {"site": "blocks"}], ids=str)
def test_inertial_makes_no_amends(knobs):
    """Each step's own error is promised; they are not wanted; followers are not kept apart."""
    assert Inertial().schemes()[0].predictor.keeps_missed
    assert not Inertial(**knobs).schemes()[0].predictor.keeps_missed


@pytest.mark.parametrize("knobs", [{"amends": -0.1}, {"amends": 1.5}, {"shortest": -1}, {"shortest": 2.5}], ids=str)
def test_knobs_out_of_range(knobs):
    with pytest.raises(ValueError, match=next(iter(knobs))):
        Inertial(**knobs)
