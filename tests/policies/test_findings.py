"""Mistakes found while testing, mended since: each was wrong once."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import NaviCache


def falling() -> list:
    """Ratios 10, 10, 10, 5, then 0.1: steeper than real ones, as a drift filter must survive."""
    x, y, video = 0.0, 5.0, []
    for ratio in (10.0, 10.0, 10.0, 5.0, *[0.1] * 8):
        video.append((np.array([[x]]), np.array([[y]])))
        x, y = x + 0.1, y + 0.1 * ratio
    return video


def test_threshold_zero_computes_everything_with_a_drift():
    """The drift carries the ratio below zero, so the accumulated error falls below a threshold of zero."""
    policy = NaviCache(threshold=0.0, align_steps=3, state="ratio_and_drift")
    assert all(drive(policy, falling(), tell_total=False).computed)


def test_accumulated_error_never_falls_while_reusing():
    """The same on an ordinary run: from step 13 on nothing is computed any more, the error going ever lower."""
    seen = drive(NaviCache(0.07, 5, state="ratio_and_drift"), smooth(1))
    assert all(shown.get("predicted_change", 0.0) >= 0 for shown in seen.decided)


@pytest.mark.parametrize("knobs", [{"paper_text": True}, {"state": "ratio_and_drift"}])
def test_replace_builds_what_the_constructor_builds(knobs):
    """Choices left open are written back at construction, so `replace` takes them for made by hand."""
    assert replace(NaviCache(), **knobs) == NaviCache(**knobs)


def test_explanation_of_an_unmeasured_step_is_not_that_of_the_step_before():
    seen = drive(
        NaviCache(0.07, 5), smooth(0), step_filter=lambda s: s._replace(since_seen=math.nan) if s.index == 30 else s
    )
    assert seen.reasons[30] == "not finite"
    assert "predicted_change" not in seen.decided[30]


@pytest.mark.parametrize(
    "knobs", [{"epsilon": -1.0}, {"epsilon": math.nan}, {"output_epsilon": -1.0}, {"longest_reuse": -1}], ids=str
)
def test_senseless_numbers_are_refused_at_construction(knobs):
    with pytest.raises(ValueError, match=next(iter(knobs))):
        NaviCache(**knobs)


def test_an_output_of_zeros_is_explained_in_finite_numbers():
    """An untrained head returns zeros: the step computes, as officially, but the trace shows NaN."""
    video = [(x, 0.0 * y) for x, y in smooth(0)]
    seen = drive(NaviCache(0.07, 5), video)
    assert all(seen.computed)
    assert all(math.isfinite(number) for shown in seen.decided for number in shown.values())
