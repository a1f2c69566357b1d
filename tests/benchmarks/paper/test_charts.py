"""The pictures of the paper's figures."""

import pytest
from benchmarks.paper.charts import draw_frequency_chart, draw_latency_chart, draw_plane_chart, draw_trajectory_chart
from tests.support.charts import check_chart

from navicache.evaluation.intervals import MeanEstimate

SECONDS = MeanEstimate(1.0, 0.9, 1.2, 4)
CHARTS = {
    "frequency": lambda name: draw_frequency_chart({"a & b": ("navicache", [1.0, 0.5, 0.0])}, name),
    "trajectory": lambda name: draw_trajectory_chart({"UniPC": [[None, 2.0, 1.0]], "Euler": [[None, 1.0, 3.0]]}, name),
    "plane": lambda name: draw_plane_chart("easycache", [(0.1, 0.2, 0.1), (0.3, 0.2, 0.4), (0.2, 0.0, 0.1)], name),
    "latency": lambda name: draw_latency_chart(
        {"N": ("navicache", [SECONDS, None])}, ["480p", "720p"], "whole call", name
    ),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_fits_into_a_page(kind):
    check_chart(CHARTS[kind])


def test_text_is_escaped_and_stays_text():
    assert "a &amp; b" in CHARTS["frequency"]("x")
