"""Pictures inside a page: its ink, its own names, and nothing that is not well formed."""

import pytest
from tests.support.charts import check_chart

from navicache.report.charts import QualityPoint, SeriesLine, draw_equal_chart, draw_quality_chart

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
