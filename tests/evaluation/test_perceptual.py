"""LPIPS on made-up weights: against the formula written out, and what any distance must do."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from tests.evaluation import made_up
from tests.evaluation.clips import distorted, floats, noise, pairs, pan
from torch.nn import functional

from navicache.evaluation import LpipsUnavailable, compare, frames, lpips
from navicache.evaluation.lpips_weights import FILE_NAME, WeightsError, load
from navicache.evaluation.perceptual import LpipsNetwork


def written_out(weights, first, second):
    """One distance of two frames (height, width, 3) in [0, 1], in double precision, layer by layer as published."""
    mean, deviation = np.array([-0.030, -0.088, -0.188]), np.array([0.458, 0.448, 0.450])
    x, y = (torch.from_numpy(((f * 2.0 - 1) - mean) / deviation).permute(2, 0, 1)[None] for f in (first, second))
    total = 0.0
    for layer, (stride, padding) in enumerate([(4, 2), (1, 2), (1, 1), (1, 1), (1, 1)]):
        if layer in (1, 2):
            x, y = functional.max_pool2d(x, 3, 2), functional.max_pool2d(y, 3, 2)
        kernel, bias = (weights[f"convolutions.{layer}.{kind}"].double() for kind in ("weight", "bias"))
        x, y = (functional.conv2d(z, kernel, bias, stride, padding).clamp(min=0) for z in (x, y))
        a, b = (z[0].numpy() / (np.sqrt((z[0].numpy() ** 2).sum(0)) + 1e-10) for z in (x, y))
        head = weights[f"heads.{layer}.weight"].double().flatten().numpy()
        total += np.einsum("c,chw->hw", head, (a - b) ** 2).mean()
    return total


@pytest.fixture
def path(tmp_path, monkeypatch):
    weights = made_up.weights()
    made_up.accept(monkeypatch, weights)
    save_file(weights, tmp_path / "weights.safetensors")
    return tmp_path / "weights.safetensors"


@pytest.mark.parametrize("name", [name for name in pairs() if "random" not in name])
def test_as_the_formula_written_out(name, path):
    reference, video = pairs()[name]
    expected = [written_out(made_up.weights(), a, b) for a, b in zip(reference, video, strict=True)]
    assert min(expected) > 0
    assert lpips(reference, video, path) == pytest.approx(np.mean(expected), rel=1e-4)


@pytest.mark.parametrize("size", [(31, 31), (31, 97), (64, 50), (100, 33)])
def test_as_the_formula_on_random_clips_of_odd_sizes(size, path):
    reference, video = noise(2, *size), noise(2, *size, seed=1)
    expected = [written_out(made_up.weights(), a, b) for a, b in zip(reference, video, strict=True)]
    assert lpips(reference, video, path) == pytest.approx(np.mean(expected), rel=1e-4)


def test_zero_for_the_same_and_the_same_both_ways(path):
    clip, video = floats(pan()), distorted(floats(pan()), 0.1)
    assert lpips(clip, clip, path) == 0
    assert lpips(clip, video, path) == pytest.approx(lpips(video, clip, path), rel=1e-6)
    assert lpips(pan(), pan("coffee"), path) == pytest.approx(lpips(floats(pan()), floats(pan("coffee")), path), 1e-5)


def test_rises_with_distortion(path):
    clip = floats(pan())
    scores = [lpips(clip, distorted(clip, strength), path) for strength in (0, 0.02, 0.05, 0.1, 0.2, 0.4)]
    assert scores == sorted(set(scores))


def test_chunks_do_not_change_it(path, monkeypatch):
    clip, video = floats(pan(frames=5)), distorted(floats(pan(frames=5)), 0.1)
    whole = lpips(clip, video, path)
    monkeypatch.setattr(frames, "CHUNK_PIXELS", 1)
    assert lpips(clip, video, path) == pytest.approx(whole, rel=1e-5)


def test_weights_of_another_shape_are_refused():
    with pytest.raises(RuntimeError, match="heads"):
        LpipsNetwork({name: values for name, values in made_up.weights().items() if "heads" not in name})


def test_no_weights_no_number():
    with pytest.raises(LpipsUnavailable, match="weights of LPIPS are not installed"):
        lpips(pan(), pan())
    scores = compare(pan(), pan())
    assert scores.lpips is None
    assert "pip install ./pocket" in scores.lpips_missing and "NAVICACHE_HOME" in scores.lpips_missing
    assert scores.psnr == 100 and scores.ssim == pytest.approx(1)


def test_with_weights_a_number_and_no_reason(path):
    scores = compare(pan(), pan("coffee"), weights=path)
    assert scores.lpips == pytest.approx(lpips(pan(), pan("coffee"), path))
    assert scores.lpips_missing is None
    assert compare(pan(), pan(), weights=path).lpips == 0


def test_weights_in_the_users_folder_are_found(home, path):
    home.mkdir()
    path.rename(home / FILE_NAME)
    assert made_up.same(load(), made_up.weights())
    with pytest.raises(WeightsError, match="are not at"):
        load(path)


def test_damaged_weights_give_no_number(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    scores = compare(pan(), pan(), weights=path)
    assert scores.lpips is None
    assert "is damaged" in scores.lpips_missing and "SHA-256" in scores.lpips_missing
    path.write_bytes(b"not safetensors")
    assert "is damaged" in compare(pan(), pan(), weights=path).lpips_missing


def test_frames_too_small_give_no_number(path):
    small = noise(2, 30, 64)
    assert "31x31 pixels, got 30x64" in compare(small, small, weights=path).lpips_missing
    assert compare(noise(2, 31, 64), noise(2, 31, 64), weights=path).lpips == 0


def test_importing_the_metrics_is_cheap():
    heavy = ("torchmetrics", "lpips", "torchvision", "diffusers")
    code = f"import sys, navicache.evaluation; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "[]", done.stderr
