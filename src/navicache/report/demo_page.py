"""The page of `navicache demo`: one HTML file that needs no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from navicache.records import RunRecord, open_atomic_file
from navicache.report.templating import render_template


@dataclass(frozen=True)
class DemoCard:
    """One prompt: its row of the table, and its files."""

    prompt: str
    figures: Mapping[str, str]
    plain: Path
    cached: Path
    together: Path
    plot: Path
    run: RunRecord


def save_demo_page(path: Path, lead: str, cards: Sequence[DemoCard]) -> None:
    """Write the page; everything it shows is inside it."""
    page = render_template("demo.html.j2", lead=lead, cards=cards)
    with open_atomic_file(path) as file:
        file.write(page.encode())
