"""The markup of a result: figures, videos, what to take along, the steps and their chart."""

import io
from html import escape

from navicache.generation.job import GenerationJob
from navicache.generation.results import PromptResult
from navicache.generation.summary import result_figures
from navicache.records import RunRecord
from navicache.report.trace_plot import draw_trace
from navicache.studio.explanations import explain_step
from navicache.studio.live import strip_look
from navicache.studio.pictures import to_base64
from navicache.studio.stage import stage_html
from navicache.studio.take_away import take_away_html

HINT = "Point at a square: why was this step computed or reused?"
LEAST_GAIN, MOST_GAIN = 0.7, 1.1  # of what the saved steps allow: outside, the clock measured something else too


def result_html(made: PromptResult, job: GenerationJob, kept: bool) -> str:
    """Figures, synchronised videos, code and files to take along, a square for each step, and plots."""
    runs = made.pair.trace.runs
    first = [_tiles_html(made, kept), _notes_html(made), stage_html(made, job.fps), take_away_html(made, job)]
    return f'<div class="nv-result">{"".join([*first, *map(steps_html, runs), *map(_plot_html, runs)])}</div>'


def steps_html(run: RunRecord) -> str:
    """A square for each step, with its explanation."""
    why = [("nv-c" if step.computed else "nv-r", escape(explain_step(run, step))) for step in run.steps_of()]
    cells = [f'<i class="{kind}" data-why="{words}"></i>' for kind, words in why]
    head = f"{escape(run.policy)} on {escape(run.model)}: computed {run.computed} of {run.length} steps"
    return (
        f"<section><h3>{head}</h3>"
        f'<div {strip_look(run.length)} tabindex="0" role="img" aria-label="{head}">{"".join(cells)}</div>'
        f'<p class="nv-why" aria-live="polite">{HINT}</p></section>'
    )


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


def _plot_html(run: RunRecord) -> str:
    """The chart of a run; folded away where a list of steps decided, which the squares show."""
    buffer = io.BytesIO()
    draw_trace(run).savefig(buffer, format="png")
    source = f"data:image/png;base64,{to_base64(buffer.getvalue())}"
    image = f'<img class="nv-plot" alt="ratio, error and schedule by step" src="{source}">'
    shown = " open" if any(step.threshold for step in run.steps) else ""
    return f'<details class="nv-chart"{shown}><summary>Chart</summary><div class="nv-wide">{image}</div></details>'


def _notes_html(made: PromptResult) -> str:
    said = [note for run in made.pair.trace.runs for note in run.notes]
    if made.quality.lpips is None:
        said.append(f"LPIPS: {made.quality.lpips_missing}")
    return "".join(f'<p class="nv-quiet">{escape(line)}</p>' for line in [*explain_clock(made), *said])


def explain_clock(made: PromptResult) -> list[str]:
    """A word where the seconds do not fit the saved steps."""
    steps, speedups = made.steps, made.speedup
    faster, possible = speedups["loop"] or speedups["call"], steps["total"] / max(1, steps["computed"])
    if faster is None or LEAST_GAIN * possible <= faster <= MOST_GAIN * possible:
        return []
    head = f"{steps['computed']} of {steps['total']} steps allow {possible:.2f}x, and {faster:.2f}x was measured: "
    if faster > possible:
        return [f"{head}the clock was not quiet during the run without the cache. Run again with another seed."]
    return [f"{head}other work kept the machine busy, or the steps of this model cost little beside the rest."]
