"""The markup of the page: the live view of a run, and its result."""

import base64
import io
from html import escape

import numpy as np
from PIL import Image

from navicache.generation.media import Media
from navicache.generation.results import PromptResult
from navicache.generation.summary import result_figures
from navicache.records import RunRecord, describe_savings
from navicache.report.side_by_side import AMPLIFIED, amplify_difference
from navicache.report.trace_plot import draw_trace
from navicache.report.video import encode_video, to_uint8
from navicache.studio.explanations import explain_step
from navicache.studio.monitor import RunProgress

HINT = "Point at a square: why was this step computed or reused?"
IDLE = '<p class="nv-quiet">Press Run: the model goes once as it is and once with the cache, from the same noise.</p>'
PLAYER = (
    '<button class="nv-play" aria-label="play or pause">❚❚</button>'
    '<input class="nv-scrub" type="range" min="0" max="1" step="any" value="0" aria-label="time">'
)
VIEW = "<canvas></canvas><figcaption>"
WIPE = '<input class="nv-wipe" type="range" min="0" max="100" value="50" step="any" aria-label="no cache or cached">'
MODE = '<button class="nv-mode">Slide one over the other</button>'
STOPPED = '<p class="nv-quiet">Stopped. Nothing is left on the model.</p>'


def live_html(news: RunProgress) -> str:
    """The progress of a run: bar, counts, squares, and a preview."""
    done, computed, total = len(news.squares), sum(news.squares), news.total or 0
    counts = f"step {done} of {total} · computed {computed} · reused {done - computed}" if total else ""
    picture = ""
    if news.picture is not None:
        picture = f'<img class="nv-latent" alt="latent so far" src="{_png_address(news.picture)}">'
    return (
        f'<div class="nv-live">{picture}<div class="nv-going"><p><b>{escape(news.doing)}</b> <span>{counts}</span></p>'
        f'<div class="nv-bar"><i style="width: {done / (total or 1):.1%}"></i></div>{_format_squares(news)}</div></div>'
    )


def _format_squares(news: RunProgress) -> str:
    rest = (news.total or 0) - len(news.squares)
    cells = ["<i class='nv-c'></i>" if computed else "<i class='nv-r'></i>" for computed in news.squares]
    return f'<div class="nv-strip" {_gap_style(news.total or 1)}>{"".join(cells)}{"<i></i>" * rest}</div>'


def done_html(made: PromptResult) -> str:
    """The step counts of a finished run."""
    said = "; ".join(describe_savings(run) for run in made.pair.trace.runs)
    return f'<p class="nv-quiet">Done: {escape(said)}.</p>'


def result_html(made: PromptResult, fps: int, kept: bool) -> str:
    """Figures, synchronised videos, a square for each step, and plots."""
    runs = made.pair.trace.runs
    views = [_tiles_html(made, kept), _stage_html(made, fps), *map(steps_html, runs), *map(_plot_html, runs)]
    return f'<div class="nv-result">{"".join(views)}{_notes_html(made)}</div>'


def steps_html(run: RunRecord) -> str:
    """A square for each step, with its explanation."""
    why = [("nv-c" if step.computed else "nv-r", escape(explain_step(run, step))) for step in run.steps_of()]
    cells = [f'<i class="{kind}" data-why="{words}"></i>' for kind, words in why]
    head = f"{escape(run.policy)} on {escape(run.model)}: computed {run.computed} of {run.length} steps"
    return (
        f"<section><h3>{head}</h3>"
        f'<div class="nv-strip" {_gap_style(run.length)} tabindex="0" role="img" aria-label="{head}">'
        f"{''.join(cells)}</div>"
        f'<p class="nv-why" aria-live="polite">{HINT}</p></section>'
    )


def _gap_style(steps: int) -> str:
    """The number of squares, for the width of their gaps."""
    return f'style="--nv-many: {steps}"'


def _tiles_html(made: PromptResult, kept: bool) -> str:
    found = result_figures(made)
    again = " (kept)" if kept else ""
    loop = made.speedup["loop"]
    tiles = [
        (found["speed-up"], "measured speed-up" + (f", loop {loop:.2f}x" if loop else "")),
        (f"{found['seconds plain']} → {found['seconds cached']}", f"seconds, no cache{again} → cached"),
        (found["computed steps"], "steps computed"),
        (found["PSNR"], "PSNR, dB"),
        (found["SSIM"], "SSIM"),
        (found["LPIPS"], "LPIPS"),
    ]
    cells = (f"<div><b>{escape(value)}</b><small>{escape(name)}</small></div>" for value, name in tiles)
    return f'<div class="nv-tiles">{"".join(cells)}</div>'


def _stage_html(made: PromptResult, fps: int) -> str:
    """The players: three views of one video, so that they cannot get out of step."""
    plain, cached = made.pair.plain or made.pair.cached, made.pair.cached
    named = ("plain", "no cache", plain), ("cached", made.policy, cached)
    captions = ((name, escape(f"{words} · {take.call_seconds:.1f} s")) for name, words, take in named)
    views = (f'<figure class="nv-{name}">{VIEW}{words}</figcaption></figure>' for name, words in captions)
    return (
        f'<div class="nv-stage" data-mode="side">{_reel_html(plain.media, cached.media, fps)}<div class="nv-pair">'
        f'{"".join(views)}{WIPE}</div><figure class="nv-difference">{VIEW}<label>difference × '
        f'<input class="nv-times" type="number" min="1" max="100" value="{AMPLIFIED:g}"></label></figcaption></figure>'
        f'<div class="nv-controls">{PLAYER if plain.media.is_video else ""}{MODE}</div></div>'
    )


def _reel_html(plain: Media, cached: Media, fps: int) -> str:
    """Both outputs and their exact difference in one video; compressed videos would differ by compression too."""
    frames = np.concatenate([plain.frames, cached.frames, amplify_difference(plain.frames, cached.frames)], axis=2)
    if not plain.is_video:
        return f'<img class="nv-reel" alt="" src="{_png_address(frames[0])}">'
    data = base64.b64encode(encode_video(frames, fps)).decode()
    return f'<video class="nv-reel" data-mp4="{data}" muted playsinline loop></video>'


def _plot_html(run: RunRecord) -> str:
    buffer = io.BytesIO()
    draw_trace(run).savefig(buffer, format="png")
    source = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return f'<div class="nv-wide"><img class="nv-plot" alt="ratio, error and schedule by step" src="{source}"></div>'


def _notes_html(made: PromptResult) -> str:
    said = [note for run in made.pair.trace.runs for note in run.notes]
    if made.quality.lpips is None:
        said.append(f"LPIPS: {made.quality.lpips_missing}")
    return "".join(f'<p class="nv-quiet">{escape(line)}</p>' for line in said)


def _png_address(frame: np.ndarray) -> str:
    buffer = io.BytesIO()
    Image.fromarray(to_uint8(frame)).save(buffer, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
