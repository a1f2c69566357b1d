"""The markup of the live view: idle, a run that goes on, and how it ended."""

from html import escape

from navicache.generation.results import PromptResult
from navicache.records import describe_savings
from navicache.studio.monitor import PLAIN, RunProgress
from navicache.studio.pictures import png_address

IDLE = '<p class="nv-quiet">Press Run: the model goes once as it is and once with the cache, from the same noise.</p>'
# `nv-stale`: the result below is not that of the newest run, and the page shows it in grey.
STOPPED = '<p class="nv-quiet nv-stale">Stopped. Nothing is left on the model.</p>'
MANY_STEPS = 120  # more squares than this are small ones


def live_html(news: RunProgress) -> str:
    """The progress of a run: bar, counts, time, squares, and a preview."""
    done, computed, total = len(news.squares), sum(news.squares), news.total or 0
    counts = f"step {done} of {total} · computed {computed} · reused {done - computed}" if total else ""
    picture, after = "", ", then with the cache" if news.doing == PLAIN else ""
    if news.picture is not None:
        picture = f'<img class="nv-latent" alt="latent so far" src="{png_address(news.picture)}">'
    return (
        f'<div class="nv-live nv-stale">{picture}<div class="nv-going">'
        f"<p><b>{escape(news.doing)}</b> <span>{counts}</span></p>{clock_line(news.seconds, news.seconds_left, after)}"
        f'<div class="nv-bar"><i style="width: {done / (total or 1):.1%}"></i></div>{_format_squares(news)}</div></div>'
    )


def clock_line(seconds: float, left: float | None, after: str = "") -> str:
    """The seconds so far and those that are left; the page's script lets them go on between two updates."""
    rest = "" if left is None else f" · about {format_seconds(left)} left{after}"
    data = "" if left is None else f' data-left="{left:.1f}" data-after="{after}"'
    return f'<p class="nv-clock" data-gone="{seconds:.1f}"{data}>{format_seconds(seconds)}{rest}</p>'


def format_seconds(seconds: float) -> str:
    """Seconds as people say them.

    Example:
        >>> format_seconds(12.4), format_seconds(125)
        ('12 s', '2 min 5 s')
    """
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def done_html(made: PromptResult) -> str:
    """The step counts of a finished run."""
    said = "; ".join(describe_savings(run) for run in made.pair.trace.runs)
    return f'<p class="nv-quiet">Done: {escape(said)}.</p>'


def refused_html(reason: str) -> str:
    """Why there is no result; it stays until the next run."""
    return f'<p class="nv-refused nv-stale" role="alert">{escape(reason)}</p>'


def strip_look(steps: int) -> str:
    """Class and style of a strip of so many squares: the width of their gaps depends on it."""
    small = " nv-many" if steps > MANY_STEPS else ""
    return f'class="nv-strip{small}" style="--nv-many: {steps}"'


def _format_squares(news: RunProgress) -> str:
    rest = (news.total or 0) - len(news.squares)
    cells = ["<i class='nv-c'></i>" if computed else "<i class='nv-r'></i>" for computed in news.squares]
    return f"<div {strip_look(news.total or 1)}>{''.join(cells)}{'<i></i>' * rest}</div>"
