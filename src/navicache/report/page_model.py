"""What a report shows, as plain data: the template knows nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Origin = Literal["measured", "published"]
Size = Literal["small", "normal", "wide"]  # four in a row, two, or one


@dataclass(frozen=True)
class Cell:
    """A text and, where it is sorted by something else than the text, the number."""

    text: str
    sort: float | None = None
    spread: str = ""  # the interval, in small letters
    tone: str = ""  # background, of a heat map


@dataclass(frozen=True)
class Line:
    """A row of a table, and where its figures are from."""

    cells: tuple[Cell, ...]
    origin: Origin = "measured"
    colour: str = ""  # of its policy


@dataclass(frozen=True)
class Table:
    """Columns by their headings; those of numbers are set right."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[Line, ...]
    words: int = 1  # how many columns, from the left, are words
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """An inline picture with its title and what it says in words."""

    title: str
    svg: str
    caption: str = ""
    size: Size = "normal"


@dataclass(frozen=True)
class Tile:
    """One figure of the headline."""

    figure: str
    words: str
    more: str = ""


@dataclass(frozen=True)
class Key:
    """An entry of the legend."""

    name: str
    colour: str


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, pictures and tables."""

    anchor: str
    title: str
    lead: str = ""
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    legend: tuple[Key, ...] = ()
    inner: bool = False  # part of the chapter above it: a smaller heading, and not in the list at the top


@dataclass(frozen=True)
class Page:
    """One report."""

    title: str
    headline: str
    lead: str
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
    prompts: tuple[Mapping[str, Any], ...]  # of the players and the traces, as `players.js` reads them
    videos: Mapping[str, str]  # address of each video, by its name in `prompts`
    footer: tuple[str, ...] = ()
    plan: str = ""
