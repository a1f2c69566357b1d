"""The page `navicache demo` leaves behind: one file, readable without a network, on a phone, light and dark."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from navicache.records import RunRecord, open_atomic_file, summarise

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>navicache demo</title>
<style>
 :root {{ color-scheme: light dark; }}
 body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
 h1 {{ margin-bottom: 0; }} h2 {{ margin: 2.5rem 0 .6rem; }} .lead {{ margin-top: .2rem; opacity: .8; }}
 .pair {{ display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; }} figure {{ margin: 0; min-width: 0; }}
 video {{ width: 100%; image-rendering: pixelated; border-radius: .4rem; display: block; }}
 figcaption {{ font-size: .9rem; opacity: .8; }} summary {{ cursor: pointer; margin: .8rem 0 .4rem; }}
 img {{ width: 100%; border-radius: .4rem; margin-top: .8rem; }}
 .wide {{ overflow-x: auto; }}
 table {{ border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }}
 td, th {{ padding: .3rem .7rem; text-align: right; }}
 th {{ font-weight: 600; line-height: 1.2; vertical-align: bottom; }}
 th:first-child, td:first-child {{ text-align: left; padding-left: 0; min-width: 9rem; }}
 tr + tr {{ border-top: 1px solid #8884; }}
 @media (max-width: 40rem) {{ table {{ font-size: .8rem; }} td, th {{ padding: .3rem .3rem; }}
  th:first-child, td:first-child {{ min-width: 6rem; }} }}
 pre {{ overflow-x: auto; font-size: .8rem; line-height: 1.35; }}
 img.shown {{ margin: 0; image-rendering: pixelated; }}
 @media (prefers-color-scheme: dark) {{ img:not(.shown) {{ filter: invert(.9) hue-rotate(180deg); }} }}
</style></head><body>
<h1>navicache demo</h1>
<p class="lead">{lead}</p>
<div class="wide"><table>{rows}</table></div>
{cards}
<script>
 // The two players of a prompt run in step, and stop and go together.
 for (const pair of document.querySelectorAll(".pair")) {{
  const [first, second] = pair.querySelectorAll("video");
  if (!first) continue; // images
  const follow = () => {{ second.currentTime = first.currentTime; }};
  first.addEventListener("timeupdate", () => {{
   if (Math.abs(first.currentTime - second.currentTime) > 0.1) follow();
  }});
  for (const video of [first, second]) video.addEventListener("click", () => {{
   first.paused ? (follow(), first.play(), second.play()) : (first.pause(), second.pause(), follow());
  }});
 }}
</script>
</body></html>
"""

CARD = """<section><h2>{prompt}</h2>
<div class="pair">
<figure>{plain}<figcaption>no cache: {plain_seconds} s</figcaption></figure>
<figure>{cached}<figcaption>{policy}: {cached_seconds} s, {speedup}</figcaption></figure>
</div>
<details><summary>With the difference</summary>{together}</details>
<img src="data:image/png;base64,{plot}" alt="ratio, accumulated error and computed steps">
<details><summary>Step by step</summary><pre>{summary}</pre></details>
</section>"""


@dataclass(frozen=True)
class Card:
    """One prompt: its row of the table, which names the seconds, and its files."""

    prompt: str
    figures: Mapping[str, str]
    plain: Path
    cached: Path
    together: Path
    plot: Path
    run: RunRecord


def save_demo_page(path: Path, lead: str, cards: Sequence[Card]) -> None:
    """Write the page; everything it shows is inside it."""
    rows = [list(cards[0].figures), *(list(card.figures.values()) for card in cards)]
    page = PAGE.format(
        lead=escape(lead),
        rows="".join(_row(row, "th" if number == 0 else "td") for number, row in enumerate(rows)),
        cards="\n".join(map(_card, cards)),
    )
    with open_atomic_file(path) as file:
        file.write(page.encode())


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _card(card: Card) -> str:
    return CARD.format(
        prompt=escape(card.prompt),
        policy=escape(card.run.policy),
        plain=_player(card.plain),
        plain_seconds=escape(card.figures["seconds plain"]),
        cached=_player(card.cached),
        cached_seconds=escape(card.figures["seconds cached"]),
        speedup=escape(card.figures["speed-up"]),
        together=_player(card.together),
        plot=_encoded(card.plot),
        summary=escape(summarise([card.run])),
    )


def _player(path: Path) -> str:
    if path.suffix == ".png":
        return f'<img class="shown" src="data:image/png;base64,{_encoded(path)}" alt="">'
    return f'<video src="data:video/mp4;base64,{_encoded(path)}" autoplay loop muted playsinline></video>'


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
