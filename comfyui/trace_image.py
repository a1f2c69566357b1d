"""Draw a report as an image in ComfyUI's format."""

import io

import numpy as np
import torch
from matplotlib.figure import Figure
from PIL import Image

from navicache.records import RunRecord
from navicache.report.trace_plot import draw_trace

TEXT_COLOR = "#222222"


def draw_runs(runs: tuple[RunRecord, ...]) -> torch.Tensor:
    """Draw the runs below each other: (1, height, width, 3), values from 0 to 1; without runs, a notice."""
    figures = [draw_trace(run) for run in runs if run.steps] or [_draw_empty_notice()]
    pictures = [_render_pixels(figure) for figure in figures]
    width = max(picture.shape[1] for picture in pictures)
    return torch.from_numpy(np.concatenate([_pad_to_width(picture, width) for picture in pictures]))[None]


def _render_pixels(figure: Figure) -> np.ndarray:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return np.asarray(Image.open(file).convert("RGB"), dtype=np.float32) / 255


def _pad_to_width(picture: np.ndarray, width: int) -> np.ndarray:
    return np.pad(picture, ((0, 0), (0, width - picture.shape[1]), (0, 0)), constant_values=1.0)


def _draw_empty_notice() -> Figure:
    figure = Figure(figsize=(9.6, 1.0), dpi=130, facecolor="white")
    figure.text(0.5, 0.5, "nothing was cached in this run", ha="center", va="center", color=TEXT_COLOR)
    return figure
