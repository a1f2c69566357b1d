"""What a report shows, as plain data: the template knows nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

RowOrigin = Literal["measured", "published"]
ChartSize = Literal["small", "normal", "wide"]  # four in a row, two, or one


@dataclass(frozen=True)
class TableCell:
    """A text and, where it is sorted by something else than the text, the number."""

    text: str
    sort: float | None = None
    spread: str = ""  # the interval, in small letters
    tone: str = ""  # background, of a heat map


@dataclass(frozen=True)
class TableRow:
    """A row of a table, and where its figures are from."""

    cells: tuple[TableCell, ...]
    origin: RowOrigin = "measured"
    colour: str = ""  # of its policy


@dataclass(frozen=True)
class PageTable:
    """Columns by their headings; those of numbers are set right."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[TableRow, ...]
    words: int = 1  # how many columns, from the left, are words
    note: str = ""


@dataclass(frozen=True)
class PageChart:
    """An inline picture with its title and what it says in words."""

    title: str
    svg: str
    caption: str = ""
    size: ChartSize = "normal"


@dataclass(frozen=True)
class HeadlineTile:
    """One figure of the headline."""

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
    """A heading, a sentence, pictures and tables."""

    anchor: str
    title: str
    lead: str = ""
    charts: tuple[PageChart, ...] = ()
    tables: tuple[PageTable, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    inner: bool = False  # part of the chapter above it: a smaller heading, and not in the list at the top


@dataclass(frozen=True)
class ReportPage:
    """One report."""

    title: str
    headline: str
    lead: str
    tiles: tuple[HeadlineTile, ...]
    sections: tuple[PageSection, ...]
    prompts: tuple[Mapping[str, Any], ...]  # of the players and the traces, as `players.js` reads them
    videos: Mapping[str, str]  # address of each video, by its name in `prompts`
    footer: tuple[str, ...] = ()
    plan: str = ""
