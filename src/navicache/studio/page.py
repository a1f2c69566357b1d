"""The Gradio page: fields, buttons and events. Gradio is imported only when the page is opened."""

from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from threading import Event
from typing import Any

from navicache.pocket import PROMPTS
from navicache.studio.baselines import BaselineStore
from navicache.studio.controller import StudioController
from navicache.studio.fields import PageFields, build_fields
from navicache.studio.live import IDLE
from navicache.studio.models import StudioModels
from navicache.studio.page_events import QUICK, SLOW, show_refusals
from navicache.studio.request_guard import RequestGuard
from navicache.studio.run_queue import RunQueue
from navicache.studio.tuning import Tuner
from navicache.studio.tuning_page import build_tuning_fields, connect_tuning

TITLE = "navicache studio"
HEAD = (
    '<header class="nv-head"><h1>navicache studio</h1><p>A video twice from the same noise: as the model makes it, and '
    "with steps that are predicted instead of computed.</p></header>"
)
READABLE = {
    "body_text_color_subdued": "*neutral_500",
    "button_primary_background_fill": "*primary_600",
    "button_primary_background_fill_hover": "*primary_700",
}  # Gradio's own are too pale for small letters
QUEUE_LENGTH = 16  # visitors that may wait; the next one is refused


def open_page(models: StudioModels, tuner: Tuner | None = None, **where: Any) -> None:
    """Serve the page until it is interrupted; `where` goes to Gradio's `launch`."""
    from starlette.middleware import Middleware  # pyright: ignore[reportMissingImports]

    runs, guard = RunQueue(), Middleware(RequestGuard, host=where.get("server_name"))
    # Gradio would ask its own address, give up after three seconds and advise a public link: a busy machine is slower.
    where |= {"_frontend": False, "app_kwargs": {"middleware": [guard]}}
    where["max_file_size"] = 1  # bytes: a second lock, and None is no limit
    page = build_page(StudioController(models, runs, tuner)).queue(max_size=QUEUE_LENGTH, default_concurrency_limit=1)
    try:
        _, address, _ = page.launch(**page_style(), **where, prevent_thread_lock=True)
        print(f"open {address} (Ctrl-C ends it)", flush=True)
        Event().wait()  # Gradio's own wait swallows Ctrl-C, and the command would report success
    finally:
        runs.close()
        page.close(verbose=False)


def build_page(controller: StudioController) -> Any:
    """The page as Gradio Blocks, not yet served; analytics are off."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    with gr.Blocks(title=TITLE, analytics_enabled=False) as page:
        gr.HTML(HEAD)
        fields = build_fields(controller.models, list(PROMPTS))
        search = build_tuning_fields() if controller.tuner is not None else None
        live = gr.HTML(IDLE, elem_id="nv-live")
        result = gr.HTML(elem_id="nv-result")
        begun = [connect_events(controller, fields, [live, result, gr.State(BaselineStore(), time_to_live=3600)])]
        begun += [] if search is None else [connect_tuning(controller, search, fields, [live, result])]
        connect_stop(controller, fields, live, begun)

        def fill_empty() -> list[Any]:
            *usual, settings = controller.first_values(controller.models.default.model)
            return [*(None if value is None else gr.skip() for value in usual), settings]

        # Gradio shows a number that is empty from the start as 0. One with a value is left alone: on a busy machine
        # this event comes late, and a quick visitor has changed it.
        page.load(fill_empty, None, [*fields.defaults, fields.settings], queue=False, **QUICK)
    return page


def connect_stop(controller: StudioController, fields: PageFields, live: Any, begun: list[Any]) -> None:
    """Connect the button that stops a visitor's run or search."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    def stop(request: gr.Request) -> str:
        return controller.stop(request.session_hash)

    fields.stop.click(stop, None, live, cancels=begun, queue=False, **QUICK)


def connect_events(controller: StudioController, fields: PageFields, outputs: list[Any]) -> Any:
    """Connect the buttons; returns the run's event. One at a time, or the seconds would mean nothing."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    def run(request: gr.Request, kept: BaselineStore, *values: Any) -> Iterator[tuple[Any, ...]]:
        with show_refusals(gr.Error), closing(controller.run(request.session_hash, kept, *values)) as showing:
            for shown in showing:
                yield shown.live, gr.skip() if shown.result is None else shown.result, shown.kept

    def show_defaults(model: str | None) -> list[Any]:
        with show_refusals(gr.Error):
            return controller.first_values(model)

    live, _, kept = outputs
    events = [fields.run.click, fields.prompt.submit]
    begun = gr.on(events, run, [kept, *fields.inputs], outputs, show_progress_on=[live], **SLOW)
    # `input`, not `change`: the first value needs no defaults. It is queued, since refusals are shown only then.
    fields.model.input(show_defaults, fields.model, [*fields.defaults, fields.settings], **QUICK)
    return begun


def page_style() -> dict[str, Any]:
    """Theme, style sheet and script; none of it needs a network."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    letters = {"font": ("system-ui", "sans-serif"), "font_mono": ("ui-monospace", "monospace")}
    own = files("navicache.studio")
    return {
        "theme": gr.themes.Base(primary_hue="blue", neutral_hue="slate", **letters).set(**READABLE),
        "css": (own / "page.css").read_text(encoding="utf-8"),
        "head": f"<script>{(own / 'page.js').read_text(encoding='utf-8')}</script>",
        "footer_links": [],
        "ssr_mode": False,
        "share": False,
        "quiet": True,
    }
