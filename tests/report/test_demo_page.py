"""The page carries everything in itself, and what it is given is escaped."""

import base64
import re

import pytest
from tests.report.runs import adaptive_run, run_of

from navicache.report.demo_page import DemoCard, save_demo_page

FIGURES = {
    "prompt": "a <b> cat",
    "seconds plain": "30.1",
    "seconds cached": "14.9",
    "speed-up": "2.02x",
    "PSNR": "31.2",
}


@pytest.fixture
def page(tmp_path) -> str:
    files = {name: tmp_path / name for name in ("plain", "cached", "together", "plot")}
    for name, path in files.items():
        path.write_bytes(name.encode())
    run = run_of(adaptive_run(), policy="p&q")
    cards = [DemoCard(prompt="a <b> cat", figures=FIGURES, run=run, **files) for _ in range(2)]
    save_demo_page(tmp_path / "index.html", "one & two", cards)
    assert not list(tmp_path.glob(".*.tmp"))
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_nothing_is_fetched(page):
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert "http" not in page
    shown = [base64.b64decode(data).decode() for data in re.findall(r"base64,([^\"]+)\"", page)]
    assert shown == ["plain", "cached", "together", "plot"] * 2


def test_table_and_captions(page):
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    assert re.findall(r"<th>(.*?)</th>", rows[0]) == list(FIGURES)
    assert re.findall(r"<td>(.*?)</td>", rows[1]) == ["a &lt;b&gt; cat", "30.1", "14.9", "2.02x", "31.2"]
    assert len(rows) == 3
    assert "<figcaption>no cache: 30.1 s</figcaption>" in page
    assert "<figcaption>p&amp;q: 14.9 s, 2.02x</figcaption>" in page


def test_text_is_escaped_and_the_run_is_told(page):
    assert "<b>" not in page
    assert "one &amp; two" in page
    assert "computed 6 of 12 steps" in page


def test_it_is_made_for_phones_and_dark_rooms(page):
    assert 'name="viewport" content="width=device-width' in page
    assert "color-scheme: light dark" in page
    assert "prefers-color-scheme: dark" in page
    assert "{{" not in page
