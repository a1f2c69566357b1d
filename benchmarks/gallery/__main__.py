"""Pictures of every embedded model at several speed-ups beside the run of every step, and their figures.

    python -m benchmarks.gallery                                         # all models, into build/gallery
    python -m benchmarks.gallery --out docs/images/gallery               # those of the docs; then write the page
    python -m benchmarks.gallery --models unet --steps 8 --speedups 2    # to try the script

The prompts are from the held-out set: by place in `ORDER` for each model that makes videos, the first five for the one
that makes images. `wild` has one of the 42 captions that it knows. `turbo` is left out: of its 8 steps 2 or 3 are
reused. `python -m benchmarks.gallery.page` writes docs/gallery.md from the figures.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.gallery.pictures import save_animation, save_strip
from benchmarks.gallery.videos import Example, make_example
from benchmarks.json_file import save_json
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.pocket import find_member
from navicache.pocket.held_out import choose_prompts

IMAGES = 5  # prompts of a model that makes images
ORDER = ("wan", "hunyuan", "cogvideox", "opensora", "unet", "wild", "sound")


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Make, draw and measure one model after the other."""
    options = _options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    models = {name: show_model(name, options) for name in options.models}
    figures = {"seed": 0, "dtype": "float32", "models": models}
    save_json(options.out / "figures.json", figures)
    return figures


def show_model(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The pictures of one model, and what the page says about them."""
    pipe = load_pipeline(ModelSource(f"pocket:{name}", "float32", options.device))
    pipe.set_progress_bar_config(disable=True)
    call = {**find_member(name).call, **({"num_inference_steps": options.steps} if options.steps else {})}
    example = make_example(pipe, call, choose_held_out(name), options.speedups)
    rows = {}
    for speedup, frames in example.cached.items():
        picture, computed = f"{name}-{speedup:g}x.jpg", example.figures[speedup]["computed"]
        label = f"{speedup:g}x: {computed} of {example.steps} steps computed"
        save_strip(example.reference, frames, label, options.out / picture)
        rows[f"{speedup:g}"] = {"picture": picture, **example.figures[speedup]}
        print(f"{name} at {speedup:g}x: {example.figures[speedup]}", flush=True)
    return {
        "pipeline": type(pipe).__name__,
        "prompts": list(example.prompts),
        "steps": example.steps,
        "animation": draw_animation(name, example, options.out),
        "speedups": rows,
    }


def choose_held_out(name: str) -> list[str]:
    """By number: the first for images, for videos the one at the model's own place; `wild` has its example."""
    if name == "wild":
        return [find_member(name).caption]
    prompts = choose_prompts("held-out", len(ORDER))
    return prompts[:IMAGES] if find_member(name).kind == "image" else [prompts[ORDER.index(name)]]


def draw_animation(name: str, example: Example, folder: Path) -> str | None:
    """All speed-ups in step; images do not move."""
    if find_member(name).kind == "image":
        return None
    names = {f"{speedup:g}x": frames for speedup, frames in example.cached.items()}
    save_animation({"every step": example.reference, **names}, folder / f"{name}.webp")
    return f"{name}.webp"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("--models", nargs="+", default=ORDER, choices=ORDER, metavar="NAME", help=f"{', '.join(ORDER)} (all)")
    add("--speedups", type=float, nargs="+", default=[2.0, 3.0, 4.0])
    add("--steps", type=int, help="of a run, in place of the model's usual number")
    add("--device", default="cpu")
    add("--out", type=Path, default=Path("build/gallery"), help="folder (%(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
