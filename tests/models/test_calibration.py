"""A calibration survives its file, or says why it cannot be read."""

import json

import pytest

from navicache.models import Calibration, read_calibration

MEASURED = Calibration(
    "magcache", "Toy", {"ratios": (1.0, 0.9), "interleaved": False}, {"runs": 2.0}, {"prompts": 2, "steps": 12}
)


def test_what_was_saved_is_read_lists_as_tuples(tmp_path):
    MEASURED.save(tmp_path / "made.json")
    assert read_calibration(str(tmp_path / "made.json")) == MEASURED


@pytest.mark.parametrize(
    "changed", [{"format": 2}, {"format": None}, {"method": "navicache"}, {"method": None}], ids=str
)
def test_another_format_or_method_is_refused(changed, tmp_path):
    path = tmp_path / "made.json"
    MEASURED.save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    with pytest.raises(ValueError, match=r"made\.json is no calibration: make one with `navicache calibrate"):
        read_calibration(path)


@pytest.mark.parametrize("name", ["knobs", "model", "quality", "about"])
def test_what_it_lacks_is_named(name, tmp_path):
    path = tmp_path / "made.json"
    MEASURED.save(path)
    whole = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in whole.items() if key != name}))
    with pytest.raises(ValueError, match=rf"made\.json lacks '{name}': make it again with `navicache calibrate"):
        read_calibration(path)
    if name != "model":
        path.write_text(json.dumps({**whole, name: 3}))
        with pytest.raises(ValueError, match=r"made\.json is damaged: make it again"):
            read_calibration(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON file"),
        ("[" * 99999, "is no JSON file"),
        ("[1]", "is no calibration"),
        ("3", "is no calibration"),
    ],
)
def test_other_files_are_refused_by_name(text, said, tmp_path):
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(ValueError, match=rf"other\.json {said}"):
        read_calibration(tmp_path / "other.json")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read the calibration .*none\.json: No such file"):
        read_calibration(tmp_path / "none.json")
