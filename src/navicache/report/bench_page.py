"""A benchmark's report as one HTML file that needs no network."""

import json
from dataclasses import asdict
from pathlib import Path

from navicache.records import open_atomic_file
from navicache.report.page_model import ReportPage
from navicache.report.templating import FOLDER, render_template

TEMPLATE, INLINE = "bench.html.j2", ("bench.css", "tables.js", "players.js", "traces.js")


def render_page(page: ReportPage) -> str:
    """The markup of the page; text is escaped, and data cannot end the script it is in."""
    parts = {name.replace(".", "_"): (FOLDER / name).read_text(encoding="utf-8") for name in INLINE}
    data = json.dumps({"prompts": page.prompts, "videos": dict(page.videos)}, allow_nan=False)
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    known = {name: value for name, value in asdict(page).items() if name not in ("prompts", "videos")}
    return render_template(TEMPLATE, **known, **parts, prompts=page.prompts, data=safe)


def save_page(page: ReportPage, path: Path) -> None:
    """Write the page atomically."""
    with open_atomic_file(path) as file:
        file.write(render_page(page).encode())
