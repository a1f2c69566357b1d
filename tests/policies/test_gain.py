"""The gain of NaviCache: what its equations make of Q = R = 0.05 and P_0 = 1, as the official scripts set them."""

import numpy as np
import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import Video, smooth

from navicache.policies import EasyCache, Ema, NaviCache

GAINS = [0.954545, 0.661538, 0.624277, 0.618943, 0.618166, 0.618053, 0.618037, 0.618034]


def scalars(*points: tuple[float, float]) -> Video:
    return [(np.array([[x]]), np.array([[y]])) for x, y in points]


def corrections(policy: NaviCache, video: Video, first: int) -> list[float]:
    """Gains of the computed steps from `first` on."""
    seen = drive(policy, video)
    return [seen.after[i]["gain"] for i in range(first, len(video)) if seen.computed[i]]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.07])
def test_gain_counts_computes_and_never_looks_at_the_data(seed, threshold):
    gains = corrections(NaviCache(threshold=threshold, align_steps=10), smooth(seed), first=10)
    assert gains[:8] == pytest.approx(GAINS, abs=1e-6)


def test_gain_is_one_while_the_newest_ratio_is_taken():
    seen = drive(NaviCache(align_steps=6), smooth(0))
    assert [after["gain"] for after in seen.after[1:6]] == [1.0] * 5
    assert [after["variance"] for after in seen.after[1:6]] == [1.0] * 5


@pytest.mark.parametrize("align_steps", [2, 4, 10])
def test_filtered_alignment_gains_from_the_first_ratio(align_steps):
    gains = corrections(NaviCache(align_steps=align_steps, alignment="filtered"), smooth(0), first=1)
    assert gains[:8] == pytest.approx(GAINS, abs=1e-6)


@pytest.mark.parametrize(
    ("noises", "gain", "variance"),
    [((0.05, 0.05), 0.618034, 0.030902), ((0.005, 0.05), 0.270156, 0.013508), ((0.05, 0.005), 0.91608, 0.00458)],
)
def test_steady_state(noises, gain, variance):
    last = drive(NaviCache(0.0, 2, *noises), smooth(0)).after[-1]
    assert last["gain"] == pytest.approx(gain, abs=2e-6)
    assert last["variance"] == pytest.approx(variance, abs=2e-6)


def test_accumulation_by_hand():
    """E 0.1, r 2, x_(i-1) 1, y_j 4, x 2, tau 0.9: E <- 0.1 + 2 * 1 / 4 = 0.6, reused."""
    video = scalars((-1.2, 0.0), (0.8, 4.0), (1.0, 99.0), (2.0, 99.0))
    seen = drive(NaviCache(threshold=0.9, align_steps=2, epsilon=0.0), video, tell_total=False)
    assert seen.after[2]["accumulated"] == pytest.approx(0.1)
    assert seen.after[3]["accumulated"] == pytest.approx(0.6)
    assert seen.decided[3]["predicted_change"] == pytest.approx(0.5)
    assert seen.computed == [True, True, False, False]


def test_first_filter_update_by_hand():
    """r 0, P 1, Q = R = 0.05, z 1: K = 1.05 / (1.10 + 1e-8), r <- 0.954545, P <- 0.047727, as in the Wan 2.2 script."""
    seen = drive(NaviCache(alignment="filtered"), scalars((0.0, 0.0), (1.0, 1.0)))
    first = seen.after[1]
    assert first["gain"] == pytest.approx(1.05 / (1.10 + 1e-8), rel=1e-12)
    assert first["ratio"] == pytest.approx(0.954545, abs=1e-6)
    assert first["variance"] == pytest.approx(0.047727, abs=1e-6)


@pytest.mark.parametrize("kind", [NaviCache, EasyCache, Ema])
def test_threshold_zero_never_reuses(kind):
    assert all(drive(kind(threshold=0.0, align_steps=2), smooth(3)).computed)


@pytest.mark.parametrize("kind", [NaviCache, EasyCache, Ema])
def test_threshold_is_strict(kind):
    """E equal to tau computes. Powers of two, so that no rounding decides."""
    video = scalars((0.0, 4.0), (1.0, 5.0), (2.0, 4.0), (2.25, 99.0))
    exact = {"epsilon": 0.0} if kind is NaviCache else {}
    at, above = (kind(threshold=tau, align_steps=3, **exact) for tau in (0.0625, 0.0626))
    assert drive(at, video, tell_total=False).marks == "CCCC"
    assert drive(above, video, tell_total=False).marks == "CCCr"


def test_epsilon_stands_in_ratio_and_gain():
    """1e-8 in both denominators, seen where the other term is as small."""
    still = drive(NaviCache(align_steps=2), scalars((0.0, 1.0), (1e-8, 3.0)), tell_total=False)
    assert still.after[1]["ratio"] == pytest.approx(2.0 / 2e-8)
    tiny = NaviCache(align_steps=2, process_noise=1e-8, measurement_noise=0.0, initial_variance=0.0, threshold=0.0)
    last = drive(tiny, scalars((0.0, 1.0), (1.0, 2.0), (2.0, 4.0)), tell_total=False).after[-1]
    assert last["gain"] == pytest.approx(0.5)
    assert last["variance"] == pytest.approx(0.5e-8)
