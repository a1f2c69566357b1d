"""The fields of a search on the page, and its event."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from navicache.evaluation.tuning.search import LEAST_PROMPTS
from navicache.studio.controller import StudioController
from navicache.studio.fields import PageFields
from navicache.studio.page_events import SLOW, show_refusals
from navicache.studio.request import SETTINGS, SPEEDUP
from navicache.studio.tuning import GOALS

MINUTES = 30  # shown first: a search that nobody limited may take hours


@dataclass(frozen=True)
class TuningFields:
    """The Gradio components of a search."""

    begin: Any
    inputs: list[Any]  # in the order of `TuneRequest`, without model and call


def build_tuning_fields() -> TuningFields:
    """Add the fields to the page that is being built; model and call are those of a run."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    with gr.Accordion("Tune for this model", open=False, elem_id="nv-tune"):
        gr.Markdown("Tries schedules on your prompts, and leaves a settings file with the best.")
        with gr.Row():
            goal = gr.Radio(list(GOALS), value=SPEEDUP, label="Find", info="the best at a speed-up, or the fastest")
            speedup = gr.Slider(1.2, 4.0, 2.0, step=0.1, label="At this speed-up", min_width=200)
            minutes = gr.Number(MINUTES, label="Minutes", info="at most, without the confirmation; 0: no limit")
        info = f"one a line, {LEAST_PROMPTS} or more; empty for an embedded model: its own captions"
        prompts = gr.Textbox("", label="Prompts to tune with", info=info, lines=3, max_lines=8)
        begin = gr.Button("Tune for this model", elem_id="nv-begin")
    return TuningFields(begin, [goal, speedup, prompts, minutes])


def connect_tuning(controller: StudioController, search: TuningFields, fields: PageFields, outputs: list[Any]) -> Any:
    """Connect the button; a search that is over becomes the target of the next run. Returns the event."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    def tune(request: gr.Request, *values: Any) -> Iterator[tuple[Any, ...]]:
        with show_refusals(gr.Error), closing(controller.tune(request.session_hash, *values)) as showing:
            for shown in showing:
                result = gr.skip() if shown.result is None else shown.result
                found = (gr.skip(), gr.skip()) if shown.settings is None else (SETTINGS, shown.settings)
                yield shown.live, result, *found

    given = [fields.model, *search.inputs, *fields.call]
    changed = [*outputs, fields.target, fields.settings]
    return search.begin.click(tune, given, changed, show_progress_on=outputs[:1], **SLOW)
