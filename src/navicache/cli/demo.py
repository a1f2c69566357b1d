"""`navicache demo`: a run without and one with the cache, side by side, on a small WanPipeline."""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAD = (
    "A small WanPipeline with random weights: it shows what the cache does and what it saves, not how good the videos "
    "look. Give navicache.enable() your own pipeline for that."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--out", type=Path, default=Path("outputs/demo"), help="folder to write to (%(default)s)")
    parser.add_argument("--steps", type=int, default=50, help="denoising steps (%(default)s)")
    parser.add_argument("--policy", default="navicache", help="policy of the catalog (%(default)s)")
    parser.add_argument("--threshold", type=float, help="of the policy, in place of the preset's")


@dataclass(frozen=True)
class Result:
    """One timed run."""

    frames: Any
    seconds: float


def run(options: argparse.Namespace) -> int:
    """Run twice, write videos, trace, plot and page, and say where they are."""
    import navicache
    from navicache.cli import tiny_wan
    from navicache.records import Trace
    from navicache.report.demo_page import Side, save_demo_page
    from navicache.report.trace_plot import save_trace_plot
    from navicache.report.video import save_video

    pipe = tiny_wan.build()
    knobs = {} if options.threshold is None else {"threshold": options.threshold}
    cache = navicache.enable(pipe, options.policy, **knobs)  # first of all, so that a wrong option costs no wait
    with cache:
        generate(pipe, 2, "warming up")
        cached = generate(pipe, options.steps, options.policy)
        record = cache.trace.runs[-1]
    plain = generate(pipe, options.steps, "no cache")
    options.out.mkdir(parents=True, exist_ok=True)
    files = {name: options.out / name for name in ("plain.mp4", "cached.mp4", "trace.json", "trace.png", "index.html")}
    save_video(plain.frames, files["plain.mp4"])
    save_video(cached.frames, files["cached.mp4"])
    Trace((record,)).save(files["trace.json"])
    save_trace_plot(record, files["trace.png"])
    sides = (
        Side("no cache", plain.seconds, options.steps, files["plain.mp4"]),
        Side(options.policy, cached.seconds, record.computed, files["cached.mp4"]),
    )
    save_demo_page(files["index.html"], LEAD, sides, record, files["trace.png"])
    print(f"\n{cache.summary(details=False)}\n")
    for side in sides:
        speedup = sides[0].seconds / side.seconds
        print(f"  {side.name:<12} {side.computed:>3} computed steps  {side.seconds:6.2f} s  {speedup:.2f}x")
    print("\nrandom weights: the videos are noise, the times are real\n")
    print("\n".join(f"  {path}" for path in files.values()))
    return 0


def generate(pipe: Any, steps: int, what: str) -> Result:
    """One run by the clock, with a progress bar."""
    from navicache.cli import tiny_wan

    pipe.set_progress_bar_config(desc=f"{what:>12}", leave=False)
    arguments = tiny_wan.inputs()
    start = time.perf_counter()
    latents = pipe(num_inference_steps=steps, **{**arguments, "output_type": "latent"}).frames
    seconds = time.perf_counter() - start
    return Result(decode(pipe, latents), seconds)


def decode(pipe: Any, latents: Any) -> Any:
    """Latents to frames in [0, 1], outside the clock: the cache has no part in it."""
    import torch

    with torch.no_grad():
        video = pipe.vae.decode(latents, return_dict=False)[0]
    return pipe.video_processor.postprocess_video(video, output_type="np")[0]
