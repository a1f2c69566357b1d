"""The input fields of the page, in the order of `StudioRequest`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from navicache.models import SPEEDUP_OF_QUALITY
from navicache.studio.model_labels import describe_model
from navicache.studio.models import DEFAULT_ARGUMENTS, StudioModels, default_values
from navicache.studio.request import LOCKED, MAX_ERROR, QUALITY, SETTINGS, SPEEDUP, TARGETS

QUALITY_CHOICES = [(f"{word} ({speedup:g}x)", word) for word, speedup in SPEEDUP_OF_QUALITY.items()]
MODEL_DEFAULT = "empty: the model's own"


@dataclass(frozen=True)
class PageFields:
    """The Gradio components of the inputs."""

    run: Any
    stop: Any
    inputs: list[Any]  # in the order of `Asked`

    @property
    def prompt(self) -> Any:
        """The prompt."""
        return self.inputs[0]

    @property
    def model(self) -> Any:
        """The model."""
        return self.inputs[1]

    @property
    def target(self) -> Any:
        """The kind of target."""
        return self.inputs[2]

    @property
    def settings(self) -> Any:
        """The path of a settings file."""
        return self.inputs[6]

    @property
    def call(self) -> list[Any]:
        """Seed, steps, guidance, frames and size."""
        return self.inputs[7 : 8 + len(DEFAULT_ARGUMENTS)]

    @property
    def defaults(self) -> list[Any]:
        """Steps, guidance, frames and size."""
        return self.inputs[8 : 8 + len(DEFAULT_ARGUMENTS)]


def build_fields(models: StudioModels, prompts: list[str]) -> PageFields:
    """Add all fields to the page that is being built."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    with gr.Row(equal_height=True, elem_id="nv-ask"):
        look = {"show_label": False, "container": False, "max_lines": 4, "scale": 6, "min_width": 260}
        prompt = gr.Textbox(prompts[0], label="Prompt", placeholder="what to show", **look)
        run = gr.Button("Run", elem_id="nv-run", variant="primary", scale=1, min_width=90)
        stop = gr.Button("Stop", elem_id="nv-stop", scale=1, min_width=90)
    gr.Examples(prompts, prompt, label="Examples in the embedded models' few words")
    with gr.Row(equal_height=True, elem_id="nv-how"):
        model = build_model_field(models)
        with gr.Column(scale=2, min_width=280):
            targets = build_target_fields(LOCKED if models.locked else TARGETS)
    return PageFields(run, stop, [prompt, model, *targets, *build_more_fields(models)])


def build_model_field(models: StudioModels) -> Any:
    """The model: any, unless the studio is locked."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    info = "embedded" if models.locked else "embedded, a folder, or a hub id"
    look = {"label": "Model", "info": info, "min_width": 300}
    choices = [(describe_model(name), name) for name in models.choices]
    return gr.Dropdown(choices, value=models.default.model, allow_custom_value=not models.locked, **look)


def build_target_fields(offered: Sequence[str]) -> list[Any]:
    """The kind of target, and a field for each kind."""
    import gradio as gr  # pyright: ignore[reportMissingImports]

    target = gr.Radio(list(offered), value=SPEEDUP, label="Target")
    ways = {
        SPEEDUP: gr.Slider(1.0, 5.0, 2.0, step=0.1, label="Speed-up", info="1: every step is computed, bit for bit"),
        QUALITY: gr.Radio(QUALITY_CHOICES, value="high", label="Quality", visible=False),
        MAX_ERROR: gr.Slider(0.0, 0.3, 0.05, step=0.005, label="Largest error of an output", visible=False),
        SETTINGS: gr.Textbox("", label="Settings file", info="of navicache tune, on this machine", visible=False),
    }

    def choose(chosen: str) -> list[Any]:
        return [gr.update(visible=name == chosen) for name in ways]

    target.change(choose, target, list(ways.values()), queue=False, show_progress="hidden", api_visibility="private")
    return [target, *ways.values()]


def build_more_fields(models: StudioModels) -> list[Any]:
    """Seed, steps, guidance, frames and size; the page's script folds them.

    Gradio's accordion builds its fields when it is opened, and an empty number would be 0 there.
    """
    import gradio as gr  # pyright: ignore[reportMissingImports]

    labels = ("Steps", "Guidance", "Frames", "Height", "Width")
    gr.Button("More", elem_id="nv-fold", size="sm")
    with gr.Column(elem_id="nv-more"):
        with gr.Row():
            seed = gr.Number(0, label="Seed", precision=0, min_width=90)
            usual = [
                gr.Number(value, label=label, precision=None if label == "Guidance" else 0, min_width=90)
                for label, value in zip(labels, default_values(models.default), strict=True)
            ]
        negative = gr.Textbox("", label="Negative prompt", info=MODEL_DEFAULT)
    return [seed, *usual, negative]
