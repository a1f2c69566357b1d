"""Matplotlib figures as SVG inside a page, in the page's colours, light or dark."""

import io
import re
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.text import Text

INK, FAINT = "#010203", "#040506"  # colours nobody picks: they become the page's own
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # words stay words: they can be searched, and follow the page's letters
    "font.size": 9.5,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "text.parse_math": False,  # names of settings are words, not formulas: a dollar in one is a dollar
}


def new_chart(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure without a background; sizes are in inches."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.subplots()
        axes.patch.set_visible(False)
        axes.tick_params(length=0, pad=4)
    return figure, axes


def render_svg(figure: Figure, name: str) -> str:
    """The figure's markup; `name` makes its ids unique on the page."""
    text = io.StringIO()
    for words in figure.findobj(Text):  # those written before this context
        words.set_parse_math(False)
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name, "svg.id": name}):
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None, "Creator": None})
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[\d.]+pt"', r"\1", re.sub(r'(<svg[^>]*?) height="[\d.]+pt"', r"\1", svg))
    svg = prefix_ids(svg, name)
    svg = re.sub(r" ?font-family: [^;\"]*;?", "", re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg))
    return svg.replace(INK, "currentColor").replace(FAINT, "var(--faint)")


def prefix_ids(svg: str, name: str) -> str:
    """The markup with a prefix before all its ids.

    Example:
        >>> prefix_ids('<g id="a"/><use xlink:href="#a"/>', "first")
        '<g id="first-a"/><use xlink:href="#first-a"/>'
    """
    return re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", re.sub(r'\bid="', f'id="{name}-', svg))
