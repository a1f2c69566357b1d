"""A report as one HTML file: readable without a network, on a phone, light and dark."""

import json
from dataclasses import asdict
from pathlib import Path

from navicache.records import atomic_file
from navicache.report.page_model import ReportPage
from navicache.report.templating import FOLDER, render_template

TEMPLATE, INLINE = "bench.html.j2", ("bench.css", "tables.js", "players.js", "traces.js")


def render_page(page: ReportPage) -> str:
    """The page's markup; text is escaped, and data cannot end the script it stands in."""
    parts = {name.replace(".", "_"): (FOLDER / name).read_text(encoding="utf-8") for name in INLINE}
    data = json.dumps({"prompts": page.prompts, "videos": dict(page.videos)}, allow_nan=False)
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    known = {name: value for name, value in asdict(page).items() if name not in ("prompts", "videos")}
    return render_template(TEMPLATE, **known, **parts, prompts=page.prompts, data=safe)


def save_page(page: ReportPage, path: Path) -> None:
    """Write it, whole or not at all."""
    with atomic_file(path) as file:
        file.write(render_page(page).encode())
