"""The page `navicache demo` leaves behind: one file, readable without a network, light and dark."""

import base64
from dataclasses import dataclass
from html import escape
from pathlib import Path

from navicache.records import RunRecord, atomic_file, summarise

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>navicache demo</title>
<style>
 :root {{ color-scheme: light dark; }}
 body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
 h1 {{ margin-bottom: 0; }} .lead {{ margin-top: .2rem; opacity: .8; }}
 .pair {{ display: flex; flex-wrap: wrap; gap: 1rem; }} figure {{ margin: 0; flex: 1 1 16rem; }}
 video {{ width: 100%; image-rendering: pixelated; border-radius: .4rem; }}
 img {{ width: 100%; background: white; border-radius: .4rem; }}
 table {{ border-collapse: collapse; margin: 1rem 0; }} td, th {{ padding: .25rem .9rem; text-align: right; }}
 th:first-child, td:first-child {{ text-align: left; padding-left: 0; }} tr + tr {{ border-top: 1px solid #8884; }}
 pre {{ overflow-x: auto; font-size: .8rem; line-height: 1.35; }}
</style></head><body>
<h1>navicache demo</h1>
<p class="lead">{lead}</p>
<table>{rows}</table>
<div class="pair">{videos}</div>
<h2>What the cache did</h2>
<img src="data:image/png;base64,{plot}" alt="ratio, accumulated error and computed steps">
<details><summary>Step by step</summary><pre>{summary}</pre></details>
</body></html>
"""


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    name: str
    seconds: float
    computed: int
    video: Path


def save_demo_page(path: Path, lead: str, sides: tuple[Side, ...], run: RunRecord, plot: Path) -> None:
    """Write the page; everything it shows is inside it."""
    rows = "<tr><th></th><th>computed steps</th><th>seconds</th><th>speed-up</th></tr>" + "".join(
        f"<tr><td>{escape(side.name)}</td><td>{side.computed}</td><td>{side.seconds:.2f}</td>"
        f"<td>{sides[0].seconds / side.seconds:.2f}x</td></tr>"
        for side in sides
    )
    videos = "".join(
        f'<figure><video src="data:video/mp4;base64,{_encoded(side.video)}" autoplay loop muted playsinline></video>'
        f"<figcaption>{escape(side.name)}</figcaption></figure>"
        for side in sides
    )
    page = PAGE.format(
        lead=escape(lead), rows=rows, videos=videos, plot=_encoded(plot), summary=escape(summarise([run]))
    )
    with atomic_file(path) as file:
        file.write(page.encode())


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
