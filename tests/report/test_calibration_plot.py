"""The calibration plot shows every reused step where it belongs; artists are asked, pixels are not."""

import math

import numpy as np
import pytest
from PIL import Image
from tests.records.test_reuse_checks import shadow_run
from tests.report.runs import panels

from navicache.report.calibration_plot import draw_calibration, has_checked_reuses, save_calibration_plot


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(
    ("belief", "x", "label"),
    [
        ("predicted_change", 0.1, "predicted error of the step"),
        ("accumulated", 0.2, "predicted change since the last compute, accumulated"),
    ],
)
def test_one_dot_a_reused_step_on_the_axes_of_its_belief(belief, x, label):
    axes = panels(draw_calibration(shadow_run([0.05, 0.4], belief=belief)))["calibration"]
    (dots,) = axes.collections
    assert np.allclose(dots.get_offsets(), [(x, 0.05), (x, 0.4)])
    assert list(dots.get_array()) == [2, 3], "coloured by step"
    assert axes.get_xlabel() == label
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_xlim() == axes.get_ylim(), "so that the diagonal is one"


def test_shares_are_told():
    run = shadow_run([0.05, 0.05, 0.05, 0.3], settings={"max_error": 0.04})
    shares = panels(draw_calibration(run))["shares"]
    assert texts(shares) == ["75%", "0%"]
    assert [label.get_text() for label in shares.get_yticklabels()] == ["within the predicted", "within max_error 0.04"]
    plain = panels(draw_calibration(shadow_run([0.05])))["shares"]
    assert texts(plain) == ["100%"]


def test_what_has_no_logarithm_is_counted():
    axes = panels(draw_calibration(shadow_run([0.05, 0.0, math.nan])))["calibration"]
    assert len(axes.collections[0].get_offsets()) == 1
    assert "2 of 3 not shown: zero, unknown or not finite" in texts(axes)


@pytest.mark.parametrize("run", [shadow_run([]), shadow_run([0.1], belief=None), shadow_run([0.0])])
def test_nothing_to_draw_is_said(run):
    assert not has_checked_reuses(run)
    with pytest.raises(ValueError, match=r"run navicache\.enable\(\.\.\., shadow='cached'\) with a policy"):
        draw_calibration(run)


def test_saved_whole_as_png_or_svg(tmp_path):
    run = shadow_run([0.05, 0.2])
    save_calibration_plot(run, tmp_path / "calibration.png")
    save_calibration_plot(run, tmp_path / "calibration.svg")
    with Image.open(tmp_path / "calibration.png") as picture:
        assert picture.format == "PNG"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calibration.png", "calibration.svg"]
    with pytest.raises(ValueError, match=r"end its name with \.png or \.svg"):
        save_calibration_plot(run, tmp_path / "calibration.jpg")
