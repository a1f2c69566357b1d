"""The proposed rule inside a copy of diffusers: its own tests, and diffusers' tester mixins where a checkout is told.

DIFFUSERS_REPO names a checkout of huggingface/diffusers: the wheel has no tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.upstream.proposal import FOLDER, apply, changed, inserted, passed, pytest_on

CHECKOUT = os.environ.get("DIFFUSERS_REPO")
MODELS = ("flux", "hunyuan_video", "wan")


@pytest.mark.slow
def test_it_passes_its_own_tests(tmp_path):
    root = changed(tmp_path, "rule")
    done = pytest_on(root, "tests/hooks/test_navi_cache.py")
    assert passed(done) == 15


@pytest.mark.slow
@pytest.mark.skipif(CHECKOUT is None, reason="DIFFUSERS_REPO does not name a checkout of huggingface/diffusers")
def test_it_passes_their_tester_mixins(tmp_path):
    root = changed(tmp_path, "rule", Path(CHECKOUT))
    files = [f"tests/models/transformers/test_models_transformer_{model}.py" for model in MODELS]
    done = pytest_on(root, "-k", "Cache", *files)
    assert passed(done) >= 7 * len(MODELS)
    page = (root / "docs/source/en/optimization/cache.md").read_text(encoding="utf-8")
    assert page.endswith((FOLDER / "rule/docs/source/en/optimization/cache.md").read_text(encoding="utf-8"))


def test_a_line_that_moved_is_an_error():
    entry = {"file": "a.py", "behind": "x", "text": "y"}
    assert inserted("w\nx\nz\n", entry) == "w\nx\ny\nz\n"
    assert inserted("x\nx\n", {**entry, "nth": 2}) == "x\nx\ny\n"
    assert inserted("w\nx\n", {"file": "a.py", "before": "x", "text": "y"}) == "w\ny\nx\n"
    for text in ("w\n", "x\nx\n"):
        with pytest.raises(LookupError, match="the entry wants one"):
            inserted(text, entry)


def test_what_is_not_there_is_left_out(tmp_path):
    (tmp_path / "new.py").write_text("1\n")
    (tmp_path / "entries.toml").write_text('new = ["new.py"]\n[[insert]]\nfile = "old.py"\nbehind = "x"\ntext = "y"\n')
    apply(tmp_path, tmp_path / "copy")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["new.py"]
