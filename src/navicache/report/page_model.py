"""The content of a report as plain data for the template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

RowOrigin = Literal["measured", "published"]
ChartSize = Literal["small", "normal", "wide"]  # four in a row, two, or one


@dataclass(frozen=True)
class TableCell:
    """A text, and the number that it is sorted by."""

    text: str
    sort: float | None = None
    spread: str = ""  # the interval, in small letters
    tone: str = ""  # background, of a heat map


@dataclass(frozen=True)
class TableRow:
    """A row of a table, and where its figures come from."""

    cells: tuple[TableCell, ...]
    origin: RowOrigin = "measured"
    colour: str = ""  # of its policy


@dataclass(frozen=True)
class PageTable:
    """A table; its first columns are words, the others numbers."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[TableRow, ...]
    words: int = 1  # how many columns, from the left, are words
    note: str = ""


@dataclass(frozen=True)
class PageChart:
    """An inline SVG with a title and a caption."""

    title: str
    svg: str
    caption: str = ""
    size: ChartSize = "normal"


@dataclass(frozen=True)
class HeadlineTile:
    """One figure below the headline."""

    figure: str
    words: str
    more: str = ""


@dataclass(frozen=True)
class LegendEntry:
    """An entry of the legend."""

    name: str
    colour: str


@dataclass(frozen=True)
class PageSection:
    """A heading, an introduction, charts and tables."""

    anchor: str
    title: str
    lead: str = ""
    charts: tuple[PageChart, ...] = ()
    tables: tuple[PageTable, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    inner: bool = False  # part of the chapter above it: a smaller heading, and not in the list at the top


@dataclass(frozen=True)
class ReportPage:
    """A whole report."""

    title: str
    headline: str
    lead: str
    tiles: tuple[HeadlineTile, ...]
    sections: tuple[PageSection, ...]
    prompts: tuple[Mapping[str, Any], ...]  # of the players and the traces, as `players.js` reads them
    videos: Mapping[str, str]  # address of each video, by its name in `prompts`
    footer: tuple[str, ...] = ()
    plan: str = ""
