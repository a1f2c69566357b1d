"""The panel in WanGP's main form."""

from collections.abc import Callable
from typing import Any

import gradio as gr  # pyright: ignore[reportMissingImports]

from .run_settings import CHOICES, OFF


def build_panel(set_settings: Callable[[str, str], None]) -> Any:
    """Build the panel; what is changed holds for the next generation, and wrong settings are said at once."""

    def change(choice: str, text: str) -> None:
        try:
            set_settings(choice, text)
        except ValueError as error:
            raise gr.Error(str(error)) from error

    with gr.Accordion("NaviCache", open=False) as panel:
        choice = gr.Dropdown(CHOICES, value=OFF, label="Predict steps: speed-up, or quality")
        text = gr.Textbox("", label='Other settings as JSON, in place of the choice: {"max_error": 0.05}')
        for component in (choice, text):
            component.change(change, inputs=[choice, text])
    return panel
