"""The markup of a search: how far it is, and what it found."""

from html import escape

from navicache.studio.live import clock_line
from navicache.studio.take_away import code_html, save_button
from navicache.studio.tuning import TuneFound, TuneProgress

STOPPED = '<p class="nv-quiet nv-stale">Stopped. What was measured is kept: tune again and it goes on from there.</p>'


def tuning_html(news: TuneProgress) -> str:
    """The run under way, the cost so far, the time left, and the best candidates."""
    cost = f" · {news.cost:.1f} of at most {news.most:.0f} runs" if news.most else ""
    cells = (f"<tr>{''.join(f'<td>{escape(part)}</td>' for part in line)}</tr>" for line in news.best)
    head = "<tr><th>best so far</th><th>speed</th><th>score</th></tr>"
    table = f'<table class="nv-best">{head}{"".join(cells)}</table>' if news.best else ""
    return (
        '<div class="nv-live nv-stale"><div class="nv-going">'
        f"<p><b>tuning</b> <span>{escape(news.doing)}{cost}</span></p>{clock_line(news.seconds, news.seconds_left)}"
        f'<div class="nv-bar"><i style="width: {news.cost / (news.most or 1):.1%}"></i></div>{table}</div></div>'
    )


def tuned_html(found: TuneFound) -> str:
    """The choice, its figures, the line of code, and files to save."""
    cells = "".join(f"<div><b>{escape(value)}</b><small>{escape(what)}</small></div>" for value, what in found.figures)
    buttons = [
        save_button("Save settings file", found.settings.name, found.settings.read_bytes()),
        save_button("Save report", found.report.name, found.report.read_bytes()),
    ]
    table = "\n".join(found.table)
    refused = "".join(f'<p class="nv-quiet">{escape(line)}</p>' for line in found.refused)
    return (
        f'<div class="nv-result"><div class="nv-tiles">{cells}</div><p>{escape(found.choice)}.</p>'
        f'<section class="nv-take">{code_html(format_code(found))}<p>{"".join(buttons)}</p></section>'
        f'<details class="nv-chart" open><summary>Candidates</summary><div class="nv-wide"><pre>{escape(table)}</pre>'
        f"</div>{refused}</details></div>"
    )


def tuned_line_html(found: TuneFound) -> str:
    """The end of a search: the next run uses what it found."""
    name = escape(str(found.settings))
    return f'<p class="nv-quiet">Tuned. The target is now the settings file {name}: press Run to see it.</p>'


def format_code(found: TuneFound) -> str:
    """The line of code that uses the settings file."""
    return f'cache = navicache.enable(pipe, settings="{found.settings}")'
