"""Weights of LPIPS that nobody has trained, and the files they would be published in."""

import io
import pickle
import tarfile
import zipfile

import torch

from navicache.evaluation.lpips_weights import file, installer, readers
from navicache.evaluation.perceptual import LpipsNetwork


def weights(seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = LpipsNetwork()
    return {name: values.abs() if "heads" in name else values for name, values in net.state_dict().items()}


def accept(monkeypatch, tensors):
    """Let `tensors` be the published ones."""
    parts = [
        file.Part(part.name, part.tensors, file.digest({name: tensors[name] for name in part.tensors}))
        for part in file.PARTS
    ]
    monkeypatch.setattr(file, "PARTS", parts)
    monkeypatch.setattr(installer, "PARTS", parts)


def published(tensors, part):
    """Tensors of a part under the names of torchvision and lpips."""
    theirs = {ours: name for name, ours in readers.NAMES.items()}
    return {theirs[name]: values for name, values in tensors.items() if name.startswith(part)}


def save_checkpoint(path, tensors, part="convolutions"):
    torch.save(published(tensors, part) | {"classifier.1.weight": torch.zeros(2)}, path)
    return path


def save_wheel(path, tensors):
    content = io.BytesIO()
    torch.save(published(tensors, "heads"), content)
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(readers.HEADS_IN_WHEEL, content.getvalue())
    return path


def save_archive(path, tensors, pickled=None):
    layers = {
        f"Conv_{index}": {
            "kernel": tensors[f"convolutions.{index}.weight"].permute(2, 3, 1, 0).contiguous().numpy(),
            "bias": tensors[f"convolutions.{index}.bias"].numpy(),
        }
        for index in range(5)
    }
    # The published archive was written by numpy 1, which had another name for its core.
    content = pickled or pickle.dumps({"AlexNet_0": layers}, protocol=3).replace(b"cnumpy._core", b"cnumpy.core")
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(readers.ALEXNET_IN_ARCHIVE)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return path


def same(first, second):
    """Whether two sets of tensors are equal to the bit."""
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
