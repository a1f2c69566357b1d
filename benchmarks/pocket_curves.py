"""The training of the embedded model as a picture, from the logs that the training writes.

python benchmarks/pocket_curves.py                                    # of the packaged checkpoint
python benchmarks/pocket_curves.py --logs build/pocket --out build/pocket/training.png
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
    "denoiser_further": ("transformer, trained further, more low noise: loss", "loss", True),
    "polish": ("decoder, latents sampled again: PSNR of the batch, dB", "psnr", False),
}
COLUMNS = 2
LINE = "#0072B2"


def main() -> None:
    """Draw every stage that has a log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=Path("benchmarks/results/pocket"))
    parser.add_argument("--out", type=Path, default=Path("docs/images/pocket_training.png"))
    options = parser.parse_args()
    logs = {stage: options.logs / f"{stage}_log.json" for stage in PANELS}
    drawn = [stage for stage, path in logs.items() if path.exists()]
    if not drawn:
        parser.error(f"no log of a stage in {options.logs}")
    rows = -(-len(drawn) // COLUMNS)
    figure = Figure(figsize=(10, 3.3 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for place, stage in enumerate(drawn, 1):
        _draw(figure.add_subplot(rows, COLUMNS, place), json.loads(logs[stage].read_text()), *PANELS[stage])
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
