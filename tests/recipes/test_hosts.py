"""Checkouts of other programs are opened one beside the other, and each takes only its own modules away."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from tests.recipes.hosts import VARIABLE, opened


def test_a_checkout_leaves_the_modules_of_one_whose_name_begins_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    one, other = tmp_path / "video", tmp_path / "video15"
    for root in (one, other):
        (root / f"of_{root.name}").mkdir(parents=True)
        (root / f"of_{root.name}" / "part.py").touch()
    with opened(other):
        with opened(one):
            importlib.import_module("of_video.part")
            importlib.import_module("of_video15.part")
        assert [name in sys.modules for name in ("of_video.part", "of_video15.part")] == [False, True]
    assert not {"of_video", "of_video15"} & {*sys.modules}
    assert str(one) not in sys.path and str(other) not in sys.path
