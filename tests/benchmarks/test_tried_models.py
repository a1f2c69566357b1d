"""The page of tried models equals its rows, and a row that lacks something is refused."""

import json
from pathlib import Path

import pytest
from benchmarks import tried_models

FOLDER = Path(__file__).parents[2] / "docs" / "tried-models"


def test_the_committed_page_has_every_row(tmp_path):
    (tmp_path / "rows").mkdir()
    for path in (FOLDER / "rows").glob("*.json"):
        (tmp_path / "rows" / path.name).write_bytes(path.read_bytes())
    assert tried_models.main(["--folder", str(tmp_path)]) == 0
    assert (tmp_path / "README.md").read_text() == (FOLDER / "README.md").read_text()


def test_a_row_that_lacks_something_is_refused(tmp_path):
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.json").write_text(json.dumps({"model": "m"}))
    with pytest.raises(ValueError, match="lacks size, steps"):
        tried_models.main(["--folder", str(tmp_path)])
