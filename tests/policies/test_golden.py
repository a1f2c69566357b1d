"""Every variant against its hand transcription: equal decisions, equal numbers."""

from typing import Any

import numpy as np
import pytest
from tests.policies import transcription
from tests.policies.drive import Seen, drive, drive_loop
from tests.policies.trajectories import euler, paired, public_trace, smooth, toy_network
from tests.policies.transcription import Log
from tests.policies.variants import VARIANTS, lead

from navicache.policies import NaviCache, Step

TAUS = (0.04, 0.07, 0.2)
SEEDS = (0, 1, 2)


def agree(log: Log, seen: Seen) -> None:
    """Decisions exactly; numbers to 1e-9 wherever the script has them."""
    assert seen.computed == log.computed
    numbers = {"accumulated": log.error, "ratio": log.ratio, "variance": log.variance, "gain": log.gain}
    for name, scripted in numbers.items():
        same_numbers(name, [shown.get(name) for shown in seen.after], scripted)
    same_numbers("accumulated when asked", [shown["accumulated"] for shown in seen.decided], log.asked)
    np.testing.assert_allclose(np.array(seen.returned), np.array(log.returned), rtol=1e-9, atol=1e-12)


def same_numbers(name: str, shown: list[Any], scripted: list[Any]) -> None:
    """The first step has no ratio yet, whatever a script starts from."""
    known = [(a, b) for a, b in zip(shown[1:], scripted[1:], strict=True) if b is not None]
    np.testing.assert_allclose([a for a, _ in known], [b for _, b in known], rtol=1e-9, atol=0, err_msg=name)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_align", [2, 5, 10])
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("name", VARIANTS)
def test_smooth_runs(name, tau, n_align, seed):
    video, variant = smooth(seed), VARIANTS[name]
    (log,) = variant.scripted(video, tau=tau, n_align=n_align)
    agree(log, variant.driven(video, tau, n_align))
    free = log.computed[n_align:-1]
    assert not all(free)  # a run that reuses nothing would prove little
    assert any(free)


@pytest.mark.parametrize("n_align", [2, 5])
@pytest.mark.parametrize("tau", [0.0, 0.15, 0.35])
@pytest.mark.parametrize("name", VARIANTS)
def test_public_trace(name, tau, n_align):
    variant = VARIANTS[name]
    (log,) = variant.scripted(public_trace(), tau=tau, n_align=n_align)
    agree(log, variant.driven(public_trace(), tau, n_align))
    assert all(log.computed) == (tau == 0)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "EasyCache TI2V"])
def test_second_video_in_one_process(name):
    """What the scripts carry over is overwritten while they align; starting from init() is the same."""
    variant = VARIANTS[name]
    logs = variant.scripted(smooth(5), smooth(6), smooth(7, steps=30), tau=0.07, n_align=5)
    for log, video in zip(logs, (smooth(5), smooth(6), smooth(7, steps=30)), strict=True):
        seen = variant.driven(video, 0.07, 5)
        assert seen.computed == log.computed
        assert [e["accumulated"] for e in seen.after] == pytest.approx(log.error, rel=1e-9, abs=0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tau", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("name", ["HunyuanVideo", "EasyCache Hunyuan", "paper text"])
def test_closed_loop(name, tau, seed):
    """Where a reuse changes all later inputs: the script is shown the inputs that navicache met."""
    variant, steps = VARIANTS[name], 40
    network = toy_network(seed, steps)
    seen = drive_loop(variant.policy(variant.tau(tau), 5), steps, euler(seed, steps), network)
    (log,) = variant.scripted([(x, network(i, x)) for i, x in enumerate(seen.inputs)], tau=tau, n_align=5)
    agree(log, seen)
    assert not all(log.computed)


def test_unconditional_call_follows():
    """The second cache of a pair: the decisions of the conditional call, the residual of its own."""
    video = paired(smooth(1))
    (log,) = transcription.wan21([video], 0.07, 5)
    seen = drive(NaviCache(0.07, 5), lead(video))
    weights = NaviCache().schemes()[0].predictor.weights(None, Step(index=9, local_index=9))
    ((of_x, of_y),) = weights.references
    kept: Any = None
    for (x, y), computed, theirs in zip(video, seen.computed, log.returned_uncond, strict=True):
        kept = (x, y[1]) if computed else kept
        ours = y[1] if computed else weights.input * x + of_x * kept[0] + of_y * kept[1]
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("noises", [(0.005, 0.05), (0.05, 0.005), (0.3, 0.1)])
def test_other_noises(noises):
    for seed in SEEDS:
        (log,) = transcription.hunyuan([smooth(seed)], 0.07, 5, *noises)
        agree(log, drive(NaviCache(0.07, 5, *noises), smooth(seed)))


@pytest.mark.parametrize("n_align", [0, 1])
def test_scripts_need_two_alignment_steps(n_align):
    """Difference 15 of docs/policies.md, reproduced by the transcription; navicache refuses such settings."""
    for name in ("Wan2.1", "HunyuanVideo"):
        (log,) = VARIANTS[name].scripted(smooth(0), tau=0.05, n_align=n_align)
        assert log.computed == [True] + [False] * 48 + [True]
