"""The training of the embedded model as a picture, from the logs that the training writes.

python benchmarks/pocket_curves.py --logs build/pocket --out docs/images/pocket_training.png
"""

import argparse
import json
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

PANELS = {  # log: title, quantity, logarithmic
    "autoencoder": ("autoencoder: PSNR of the batch, dB", "psnr", False),
    "denoiser": ("transformer: flow-matching loss", "loss", True),
    "polish": ("decoder, disturbed latents: PSNR, dB", "psnr", False),
}
LINE = "#0072B2"


def main() -> None:
    """Draw every stage that has a log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=Path("benchmarks/results/pocket"))
    parser.add_argument("--out", type=Path, default=Path("docs/images/pocket_training.png"))
    options = parser.parse_args()
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (stage, panel) in zip(figure.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        _draw(axes, json.loads((options.logs / f"{stage}_log.json").read_text()), *panel)
    figure.savefig(options.out, dpi=110)
    print(options.out)


def _draw(axes: Axes, log: list[dict[str, float]], title: str, quantity: str, logarithmic: bool) -> None:
    """One stage over its seconds."""
    axes.plot([entry["seconds"] for entry in log], [entry[quantity] for entry in log], color=LINE, linewidth=1.5)
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(f"seconds ({int(log[-1]['step'])} steps)")
    axes.set_yscale("log" if logarithmic else "linear")
    if logarithmic:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:g}"[-1] in "25" else ""))
    axes.grid(axis="y", color="#E5E5E5")
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
