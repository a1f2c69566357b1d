"""Pictures inside a page: its ink, its own names, and nothing that is not well formed."""

import re
from xml.etree import ElementTree

import pytest

from navicache.report.charts import (
    Spot,
    frequency_chart,
    latency_chart,
    plane_chart,
    quality_chart,
    trajectory_chart,
)
from navicache.report.equal_chart import Trail, equal_chart

SPOTS = [
    Spot("navicache", "N", (2.0, 1.8, 2.2), (30.0, 29.0, 31.0)),
    Spot("none", "x", (1.5, 1.5, 1.5), (20.0, 20.0, 20.0)),
]
CHARTS = {
    "quality": lambda name: quality_chart(SPOTS, "speed-up", ("PSNR", "dB"), name),
    "frequency": lambda name: frequency_chart({"a & b": ("navicache", [1.0, 0.5, 0.0])}, name),
    "trajectory": lambda name: trajectory_chart({"UniPC": [[None, 2.0, 1.0]], "Euler": [[None, 1.0, 3.0]]}, name),
    "plane": lambda name: plane_chart("easycache", [(0.1, 0.2, 0.1), (0.3, 0.2, 0.4), (0.2, 0.0, 0.1)], name),
    "equal": lambda name: equal_chart(
        [Trail("inertial", [(4, 30.0), (9, 50.0)]), Trail("none", [(2, 9.0)], dashed=True)], [5.0, 8.0], name
    ),
    "latency": lambda name: latency_chart({"N": ("navicache", [1.0, None])}, ["480p", "720p"], "whole call", name),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_fits_into_a_page(kind):
    svg = CHARTS[kind]("one")
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") and root.get("width") is None and root.get("height") is None
    assert "currentColor" in svg and "#010203" not in svg and "#040506" not in svg
    assert "DejaVu" not in svg and "<metadata" not in svg
    names = re.findall(r'\bid="([^"]+)"', svg)
    assert names and all(name.startswith("one-") for name in names)
    used = re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', svg)
    assert set(used) <= set(names)
    assert svg == CHARTS[kind]("one"), "the same every time"


def test_text_is_escaped_and_stays_text():
    assert "a &amp; b" in CHARTS["frequency"]("x")
