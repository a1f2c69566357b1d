"""EasyCache and Ema: what is left of NaviCache with a gain that never changes."""

import itertools

import numpy as np
import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import EasyCache, Ema, NaviCache


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.05, 0.07, 0.2])
def test_easycache_is_a_gain_of_one(threshold, seed):
    easy, video = drive(EasyCache(threshold, 5), smooth(seed)), smooth(seed)
    exact = drive(NaviCache(threshold, 5, measurement_noise=0.0, epsilon=0.0), video)
    nearly = drive(NaviCache(threshold, 5, measurement_noise=0.0), video)
    assert easy.marks == exact.marks == nearly.marks == drive(Ema(threshold, 5, alpha=1.0), video).marks
    for a, b in zip(easy.after[1:], exact.after[1:], strict=True):
        assert (a["ratio"], a["accumulated"], a["gain"]) == pytest.approx((b["ratio"], b["accumulated"], b["gain"]))


@pytest.mark.parametrize("alpha", [0.2, 0.618, 1.0])
def test_ema_smooths(alpha):
    video = smooth(2)
    seen = drive(Ema(threshold=0.0, align_steps=4, alpha=alpha), video)
    steps = itertools.pairwise(video)
    ratios = [np.abs(y1 - y0).mean() / np.abs(x1 - x0).mean() for (x0, y0), (x1, y1) in steps]
    smoothed = ratios[:3]
    for z in ratios[3:]:
        smoothed.append((1 - alpha) * smoothed[-1] + alpha * z)
    assert [after["ratio"] for after in seen.after[1:]] == pytest.approx(smoothed)
