"""What every picture of a page has to keep."""

import re
from xml.etree import ElementTree


def check_chart(draw) -> None:
    """It fits into a page, has its own names there, and is the same every time."""
    svg = draw("one")
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") and root.get("width") is None and root.get("height") is None
    assert "currentColor" in svg and "#010203" not in svg and "#040506" not in svg
    assert "DejaVu" not in svg and "<metadata" not in svg
    names = re.findall(r'\bid="([^"]+)"', svg)
    assert names and all(name.startswith("one-") for name in names)
    used = re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', svg)
    assert set(used) <= set(names)
    assert svg == draw("one"), "the same every time"
