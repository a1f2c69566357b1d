"""LPIPS with the published weights, those of navicache-pocket: known answers, and against its authors' code."""

import sys
import types

import numpy as np
import pytest
import torch
from PIL import Image
from skimage import data
from tests.evaluation.clips import distorted, floats, noise, pairs, pan
from torch import nn

from navicache.evaluation import lpips
from navicache.evaluation.lpips_weights import load
from navicache.evaluation.lpips_weights.file import FILE_NAME
from navicache.evaluation.lpips_weights.readers import NAMES
from navicache.weights_package import find_weights_folder

PATH = find_weights_folder("lpips") / FILE_NAME


@pytest.fixture(scope="module")
def trained():
    return load(PATH)


def alexnet(trained):
    """What torchvision.models.alexnet would be, as far as lpips looks at it."""
    layers = [nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Conv2d(64, 192, 5, padding=2), nn.ReLU()]
    layers += [nn.MaxPool2d(3, 2), nn.Conv2d(192, 384, 3, padding=1), nn.ReLU()]
    layers += [nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(), nn.Conv2d(256, 256, 3, padding=1), nn.ReLU()]
    features = nn.Sequential(*layers, nn.MaxPool2d(3, 2))
    theirs = {name.removeprefix("features."): trained[ours] for name, ours in NAMES.items() if "features" in name}
    features.load_state_dict(theirs)
    return types.SimpleNamespace(features=features)


@pytest.fixture
def authors(trained, monkeypatch):
    """The authors' own LPIPS, on a stand-in for torchvision."""
    models = types.ModuleType("torchvision.models")
    models.alexnet = lambda pretrained: alexnet(trained)
    torchvision = types.ModuleType("torchvision")
    torchvision.models = models
    monkeypatch.setitem(sys.modules, "torchvision", torchvision)
    monkeypatch.setitem(sys.modules, "torchvision.models", models)
    package = pytest.importorskip("lpips", reason="the package lpips is not installed (pip install --no-deps lpips)")
    return package.LPIPS(net="alex", verbose=False)


def clips():
    return {
        **{name: pair for name, pair in pairs().items() if "random" not in name},
        "random": (noise(2, 64, 80), noise(2, 64, 80, 1)),
    }


@pytest.mark.parametrize("name", clips())
def test_as_the_authors_package(name, authors):
    reference, video = clips()[name]
    with torch.no_grad():
        first, second = (torch.from_numpy(clip).movedim(-1, 1) for clip in (reference, video))
        expected = authors(first, second, normalize=True).mean().item()
    assert expected > 0
    assert lpips(reference, video, PATH) == pytest.approx(expected, abs=1e-5)


@pytest.mark.usefixtures("trained")
def test_known_answers():
    picture = Image.fromarray(data.astronaut()).resize((256, 256))
    clip = floats(np.asarray(picture))[None]
    assert lpips(clip, clip, PATH) == 0
    strengths = (0.02, 0.05, 0.1, 0.2, 0.4)  # on the authors' scale of [-1, 1]: half of it on ours
    scores = [lpips(clip, distorted(clip, strength / 2), PATH) for strength in strengths]
    assert scores == pytest.approx([0.0043, 0.0452, 0.1515, 0.3447, 0.6556], rel=0.05)


@pytest.mark.usefixtures("trained")
def test_rises_with_distortion():
    clip = floats(pan())
    scores = [lpips(clip, distorted(clip, strength), PATH) for strength in (0, 0.02, 0.05, 0.1, 0.2, 0.4)]
    assert scores == sorted(set(scores))
