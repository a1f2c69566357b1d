"""The committed page shows what the files beside it say."""

import re
from html import unescape
from pathlib import Path

import pytest
from benchmarks.paper.page import read_sections

FOLDER = Path(__file__).parents[3] / "docs" / "results" / "paper"
FILES = [name for name in ("decisions", "semantics") if (FOLDER / f"{name}.csv").is_file()]


@pytest.mark.parametrize("name", FILES)
def test_every_row_of_the_file_is_a_row_of_the_page(name):
    page = (FOLDER / "report.html").read_text(encoding="utf-8")
    shown = {unescape(re.sub(r"<[^>]*>|\s", "", row)) for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)}
    known = {each: FOLDER / f"{each}.csv" if each == name else None for each in ("decisions", "semantics")}
    (section,) = read_sections(**known)
    lines = [line for table in section.tables for line in table.lines]
    wanted = [re.sub(r"\s", "", "".join(cell.text + cell.spread for cell in line.cells)) for line in lines]
    assert wanted and set(wanted) <= shown
