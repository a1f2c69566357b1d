"""The gate of NaviCache and EasyCache where numbers get rough: a steep drift, zeros, an input that stands still."""

import math

import numpy as np
import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import Video, smooth
from tests.policies.variants import VARIANTS

from navicache.policies import Ema, NaviCache, Policy


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


def test_explanation_of_an_unmeasured_step_is_not_that_of_the_step_before():
    seen = drive(
        NaviCache(0.07, 5), smooth(0), step_filter=lambda s: s._replace(since_seen=math.nan) if s.index == 30 else s
    )
    assert seen.reasons[30] == "not finite"
    assert "predicted_change" not in seen.decided[30]


def test_an_output_of_zeros_is_explained_in_finite_numbers():
    """An untrained head returns zeros: the step computes, as officially, but the trace shows NaN."""
    video = [(x, 0.0 * y) for x, y in smooth(0)]
    seen = drive(NaviCache(0.07, 5), video)
    assert all(seen.computed)
    assert all(math.isfinite(number) for shown in seen.decided for number in shown.values())


def stuck(seed: int, at: tuple[int, ...], same_output: bool) -> Video:
    """The run stands still at some steps, which follow a compute where nothing is reused."""
    video = smooth(seed)
    for i in at:
        video[i] = video[i - 1] if same_output else (video[i - 1][0], video[i][1])
    return video


@pytest.mark.parametrize("same_output", [True, False])
@pytest.mark.parametrize("at", [(4,), (3, 4), (1, 7)])
@pytest.mark.parametrize("tau", [0.04, 0.2])
@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "paper text"])
def test_decides_as_the_scripts_do(name, tau, at, same_output):
    """Without an epsilon the scripts compute the next step because of an infinity or a NaN, then go on."""
    variant, video = VARIANTS[name], stuck(0, at, same_output)
    with np.errstate(all="ignore"):
        (log,) = variant.scripted(video, tau=tau, n_align=5)
    seen = variant.driven(video, tau, 5)
    assert seen.computed == log.computed
    assert any(log.computed[5:-1]) or name in ("Wan2.1", "HunyuanVideo", "Open-Sora")  # a ratio of 0 reuses all


STILL: dict[str, Policy] = {
    "ema": Ema(0.04, 5),
    "paper text": NaviCache(1.0, 5, paper_text=True),
    "no epsilon": NaviCache(0.04, 5, epsilon=0.0),
    "no epsilon, filtered": NaviCache(0.04, 5, epsilon=0.0, alignment="filtered"),
    "no epsilon, by channel": NaviCache(0.04, 5, epsilon=0.0, dimensions="channel"),
    "no epsilon, drift": NaviCache(0.04, 5, epsilon=0.0, state="ratio_and_drift"),
}


@pytest.mark.parametrize("same_output", [True, False])
@pytest.mark.parametrize("at", [(4,), (3, 7, 8)])
@pytest.mark.parametrize("name", STILL)
def test_poisons_nothing(name, at, same_output):
    seen = drive(STILL[name], stuck(0, at, same_output))
    for shown in (*seen.decided, *seen.after):
        assert all(map(math.isfinite, shown.values())), shown
    assert not all(seen.computed[10:])
