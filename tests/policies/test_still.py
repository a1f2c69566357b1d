"""A step whose input equals that of the last computed one: the ratio is 0 / 0, infinite, or huge by the epsilon."""

import math

import numpy as np
import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import Video, smooth
from tests.policies.variants import VARIANTS

from navicache.policies import Ema, NaviCache, Policy


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
