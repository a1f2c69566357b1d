"""The training of the embedded model as a picture, from the logs that the training writes.

    python -m benchmarks.training.curves                                     # of the packaged checkpoint
    python -m benchmarks.training.curves --logs build/pocket --out build/pocket/training.png

A checkpoint that was trained further has a folder of logs for each training; they are drawn one after the other.
"""

import argparse
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

Log = list[dict[str, float]]
LINE, FAINT = "#0072B2", "#9A9A9A"
NEAR = 5  # entries on either side that the line takes the middle of


class Panel(NamedTuple):
    """What is drawn of a stage."""

    title: str
    quantity: str
    logarithmic: bool


PANELS = {
    "autoencoder": Panel("autoencoder: PSNR of the batch, dB", "psnr", False),
    "denoiser": Panel("transformer: flow-matching loss", "loss", True),
    "polish": Panel("polish of the decoder: PSNR of the batch, dB", "psnr", False),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw every stage that has a log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=Path("benchmarks/results/training"))
    parser.add_argument("--out", type=Path, default=Path("docs/images/pocket_training.png"))
    options = parser.parse_args(arguments)
    stages = {stage: found for stage in PANELS if (found := logs_of(stage, options.logs))}
    if not stages:
        parser.error(f"no log of a stage in {options.logs}")
    figure = Figure(figsize=(10, 2.9 * len(stages)), layout="constrained")
    FigureCanvasAgg(figure)
    for place, (stage, logs) in enumerate(stages.items(), 1):
        _draw(figure.add_subplot(len(stages), 1, place), logs, PANELS[stage])
    options.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out, dpi=110)
    print(options.out)


def logs_of(stage: str, folder: Path) -> dict[str, Log]:
    """A stage's log in the folder itself, or in each training's folder there."""
    paths = [folder / f"{stage}_log.json", *sorted(folder.glob(f"training_*/{stage}_log.json"))]
    return {path.parent.name.replace("_", " "): json.loads(path.read_text()) for path in paths if path.exists()}


def smooth(values: list[float]) -> list[float]:
    """The middle one of each value and its neighbours, as many on one side as on the other: a steep fall stays one.

    Example:
        >>> smooth([9.0, 3.0, 4.0, 2.0, 1.0])
        [9.0, 4.0, 3.0, 2.0, 1.0]
    """
    reach = [min(NEAR, place, len(values) - 1 - place) for place in range(len(values))]
    return [median(values[place - width : place + width + 1]) for place, width in enumerate(reach)]


def _draw(axes: Axes, logs: dict[str, Log], panel: Panel) -> None:
    """One stage over the seconds of all its trainings."""
    ends = [0.0]
    for name, log in logs.items():
        seconds = [ends[-1] + entry["seconds"] for entry in log]
        values = [entry[panel.quantity] for entry in log]
        axes.plot(seconds, values, color=LINE, linewidth=0.8, alpha=0.35)
        axes.plot(seconds, smooth(values), color=LINE, linewidth=1.6)
        ends.append(seconds[-1])
        title = f" {name}\n {int(log[-1]['step']):,} steps"
        axes.text(seconds[0], 0.99, title, fontsize=8, color="#555555", va="top", transform=axes.get_xaxis_transform())
    for _, end in pairwise(ends[:-1]):
        axes.axvline(end, color=FAINT, linewidth=0.8)
    axes.set_title(panel.title, loc="left", fontsize=10)
    axes.set_xlabel("seconds")
    axes.set_yscale("log" if panel.logarithmic else "linear")
    if panel.logarithmic:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:g}"[-1] in "25" else ""))
    axes.grid(axis="y", color="#E5E5E5")
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
