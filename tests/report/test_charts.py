"""Pictures inside a page: its ink, its own names, and nothing that is not well formed."""

import pytest
from tests.support.charts import check_chart

from navicache.report.charts import QualityPoint, SeriesLine, draw_equal_chart, draw_quality_chart
from navicache.report.inline_svg import new_chart, render_svg

SPOTS = [
    QualityPoint("navicache", "N", (2.0, 1.8, 2.2), (30.0, 29.0, 31.0)),
    QualityPoint("none", "x", (1.5, 1.5, 1.5), (20.0, 20.0, 20.0)),
]
CHARTS = {
    "quality": lambda name: draw_quality_chart(SPOTS, "speed-up", ("PSNR", "dB"), name),
    "equal": lambda name: draw_equal_chart(
        [SeriesLine("inertial", [(4, 30.0), (9, 50.0)]), SeriesLine("none", [(2, 9.0)], dashed=True)], [5.0, 8.0], name
    ),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_fits_into_a_page(kind):
    check_chart(CHARTS[kind])


def test_a_dollar_in_a_name_is_no_formula():
    name = r"x $\alpha_{$"
    figure, axes = new_chart(3, 2)
    axes.plot([0, 1], [0, 1], label=f"l {name}")
    axes.set_yticks([0, 1], [f"a {name}", f"b {name}"])
    axes.set_xlabel(f"c {name}")
    axes.text(0, 0, f"d {name}")
    axes.legend()
    svg = render_svg(figure, "dollar")
    assert all(f"{letter} {name}" in svg for letter in "labcd")
