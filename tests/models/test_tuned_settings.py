"""Settings files as data: what was saved is read, and which runs and models they are for."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.support.tuned import tuned, tuned_file

from navicache.models import TunedRun, read_settings

LEVELS = (1.0, 0.9, 0.5, 0.0)


def test_what_was_saved_is_read(tmp_path):
    path = tuned_file(tmp_path, "Toy", {"width": [1, 2]}, noise_levels=(1.0, 0.5, 0.0), guidance=5.0)
    assert read_settings(path) == read_settings(str(path))
    assert read_settings(path) == tuned("Toy", {"width": [1, 2]}, noise_levels=(1.0, 0.5, 0.0), guidance=5.0)


@given(some.lists(some.floats(0, 1), min_size=1, max_size=8), some.floats(-0.0019, 0.0019))
def test_rounded_levels_are_the_same_and_others_are_not(levels, rounding):
    run = TunedRun(len(levels), noise_levels=tuple(levels))
    rounded = [level + rounding for level in levels]
    assert run.explain_departure(len(levels), "", rounded, None) == ""
    assert "other noise levels" in run.explain_departure(len(levels), "", [*levels[:-1], levels[-1] + 0.003], None)
    assert "other noise levels" in run.explain_departure(len(levels), "", levels[:-1] or [1.0, 1.0], None)


def test_what_is_not_known_does_not_differ():
    run = TunedRun(3, "Euler", LEVELS, 5.0)
    assert run.explain_departure(None, "", None, None) == ""
    assert TunedRun(3).explain_departure(3, "Other", (0.3,), math.pi) == ""


def test_models_are_compared_by_what_they_compute():
    settings = tuned("Toy", {"layers": 3, "patch": [1, 2], "_name_or_path": "here"})
    settings.check_model("Toy", {"layers": 3, "patch": (1, 2), "_name_or_path": "there", "quantization_config": "int8"})
    settings.check_model("Toy", {"layers": 3, "width": 9}, is_whole=False)
    for config in ({"layers": 3}, {"layers": 4, "patch": (1, 2)}, {"layers": 3, "patch": (1, 2), "width": 9}):
        with pytest.raises(ValueError, match="found on another Toy"):
            settings.check_model("Toy", config)
    with pytest.raises(ValueError, match=r"another Toy \(layers differ\)"):
        settings.check_model("Toy", {"layers": 4}, is_whole=False)
    with pytest.raises(ValueError, match="tune it too"):
        settings.check_model("Other", {})
