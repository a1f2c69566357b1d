"""A file is written whole, or the old one stays."""

import os
import stat

import pytest
from tests.support.files import names_in

from navicache.records import Trace, open_atomic_file


def test_a_failing_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "trace.json"
    Trace().save(path)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), open_atomic_file(path) as file:
        file.write(b"half")
        file.flush()
        assert path.read_bytes() == before
        raise KeyboardInterrupt
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["trace.json"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, failing):
    path = tmp_path / "trace.json"
    path.write_text("old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="no space left"):
        Trace().save(path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["trace.json"]


def test_a_saved_file_has_the_usual_rights(tmp_path):
    (tmp_path / "plain").touch()
    Trace().save(tmp_path / "trace.json")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "trace.json")}
    assert len(modes) == 1


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"create the folder .*nowhere first"):
        Trace().save(tmp_path / "nowhere" / "trace.json")
