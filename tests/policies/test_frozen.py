"""Decisions written down once, from the transcription: neither side can drift without the other noticing."""

import numpy as np
import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import harmonic, public_trace
from tests.policies.variants import VARIANTS

from navicache.policies import NaviCache, Random, Static

VIDEOS = {"public": public_trace, "harmonic": harmonic}

# (run, threshold, align_steps): one letter a step, C computed, r reused
PUBLIC_15, PUBLIC_35 = ("public", 0.15, 5), ("public", 0.35, 3)
HARMONIC_5, HARMONIC_7 = ("harmonic", 0.05, 5), ("harmonic", 0.07, 10)
FROZEN = {
    ("Wan2.1", PUBLIC_15): "CCCCCrCCCCCrCrCrCCCCCCrCrCrCrC",
    ("Wan2.1", PUBLIC_35): "CCCrCrrCrCrrrCrrrrCrrrrCrrCrCC",
    ("Wan2.1", HARMONIC_5): "CCCCCCCCCrCrCrCrrCrrCrrCrrCrrCrrrCrrrCrrrCrrCrrCrC",
    ("Wan2.1", HARMONIC_7): "CCCCCCCCCCrCrrCrrCrrrCrrrCrrrCrrrrCrrrrrCrrrrCrrrC",
    ("Wan2.2 TI2V", PUBLIC_35): "CCCrrCrrrrCrrrrrrrrrCrrrrCrrCC",
    ("Wan2.2 TI2V", HARMONIC_5): "CCCCCCCCCrCrCrCrrCrrCrrCrrCrrCrrrCrrrCrrrCrrCrrCrC",
    ("HunyuanVideo", PUBLIC_15): "CCCCCrCCCCCrCrCrCCCCCCrCrCrCrC",
    ("HunyuanVideo", HARMONIC_7): "CCCCCCCCCCrCrrCrrCrrrCrrrCrrrCrrrrCrrrrrCrrrrCrrrC",
    ("Open-Sora", PUBLIC_15): "CCCCCrCCCCCrCrCrCCCCCCrCCrCCCC",
    ("Open-Sora", PUBLIC_35): "CCCrCrrCrCrrrCrrrrCrrrCCrCrrCC",
    ("EasyCache Wan", PUBLIC_15): "CCCCCrCCrCrrrrrrrrrrrCrCrCrrrC",
    ("EasyCache Wan", HARMONIC_5): "CCCCCCCrCrCrCrCrrCrrCrrCrrrCrrrCrrrCrrrrCrrCrrCrrC",
    ("EasyCache TI2V", PUBLIC_15): "CCCCCrCCrCrrrrrrrrrrrCrCrCrrrr",
    ("EasyCache Hunyuan", PUBLIC_35): "CCCrCrrCrCrrrrrrrrrrrrrrrrrCCC",
    ("EasyCache Hunyuan", HARMONIC_7): "CCCCCCCCCCrCrrCrrrCrrrCrrrCrrrrCrrrrCrrrrrCrrrCrrC",
    ("paper text", PUBLIC_15): "CCCCCrrrrrrrrrrrCrrCrrrrrrrrCr",
    ("paper text", PUBLIC_35): "CCCrrrrrrrrrrrrrrrrrrrrrrrrrrC",
    ("paper text", HARMONIC_5): "CCCCCrCrCrCrCrrCrrCrrCrrrCrrrCrrrCrrrCrrrCrrCrrCrr",
}


@pytest.mark.parametrize(("name", "setting"), FROZEN)
def test_decisions(name, setting):
    run, tau, n_align = setting
    variant, video = VARIANTS[name], VIDEOS[run]()
    (log,) = variant.scripted(video, tau=tau, n_align=n_align)
    assert "".join("C" if c else "r" for c in log.computed) == FROZEN[name, setting], "the transcription drifted"
    assert variant.driven(video, tau, n_align).marks == FROZEN[name, setting], "navicache drifted"


def test_numbers_by_hand():
    """Walked through with a pocket calculator: x = 0, 1, 2, 2.1, 2.5 and y = 10, 12, 13, -, 12; tau = 0.03."""
    video = [
        (np.array([[x]]), np.array([[y]])) for x, y in ((0.0, 10.0), (1.0, 12.0), (2.0, 13.0), (2.1, 99.0), (2.5, 12.0))
    ]
    seen = drive(NaviCache(threshold=0.03, align_steps=3, epsilon=0.0), video, tell_total=False)
    assert seen.marks == "CCCrC"
    assert [after.get("ratio") for after in seen.after[:4]] == [None, 2.0, 1.0, 1.0]
    assert seen.decided[3]["accumulated"] == pytest.approx(0.1 / 13)
    assert seen.decided[4]["accumulated"] == pytest.approx(0.1 / 13 + 0.4 / 13)
    assert seen.after[4]["gain"] == pytest.approx(1.05 / 1.10)
    assert seen.after[4]["ratio"] == pytest.approx(1.0 + 1.05 / 1.10 * (1.0 / 0.5 - 1.0))
    assert seen.after[4]["variance"] == pytest.approx(0.05 / 1.10 * 1.05)
    assert seen.returned[3].item() == pytest.approx(2.1 + (13.0 - 2.0))


def test_schedules_without_a_signal():
    video = harmonic()[:20]
    assert drive(Static(interval=2.5), video).marks == "CrrCrCrrCrCrrCrCrrCC"
    assert drive(Static(interval=3, align_steps=4, last_step=False), video).marks == "CCCCrrCrrCrrCrrCrrCr"
    assert drive(Random(probability=0.4, seed=7), video).marks == "CrCrrrrCrrrrrrrCCrCC"
