"""Sizes, steps and presets as published, with random weights: seconds, energy and memory of a video.

    python -m benchmarks.real_size.published --device cuda
    python -m benchmarks.real_size.published --device cpu --small         # to try the script

The run without a cache has the published number of steps, or `--plain-steps`, and its seconds and joules are then
scaled to all steps: a step without a cache always does the same. Cached runs are whole. Embeddings go in and latents
come out, so text encoder and autoencoder are not in the figures. Energy is the counter of the GPU's driver.
"""

import argparse
import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

import navicache
from benchmarks.clock import Clock
from benchmarks.energy import EnergyCounter
from benchmarks.json_file import save_json
from benchmarks.real_size import opensora
from benchmarks.real_size.whole_runs import Subject, open_hunyuan, open_wan

HUNYUAN_SIZE = {"height": 544, "width": 960, "num_frames": 129}


class PublishedRun(NamedTuple):
    """A model at a published size, with its steps and the presets of `inertial` to run."""

    size: str
    steps: int
    presets: tuple[str, ...]
    open: Callable[[str, bool], Subject]


def open_opensora(device: str, small: bool) -> Subject:
    """Open-Sora 1.2 at 51 frames of 480p."""
    pipe = opensora.build(device, small)
    return Subject(pipe, lambda steps: opensora.generate(pipe, "144p" if small else "480p", 51, steps))


PUBLISHED = {
    "Wan 2.1-1.3B": PublishedRun("81 frames of 832x480", 50, ("slow", "mid", "fast"), open_wan),
    "Open-Sora 1.2": PublishedRun("51 frames of 480p", 30, ("slow", "mid", "fast"), open_opensora),
    "HunyuanVideo": PublishedRun(
        "129 frames of 960x544", 50, ("mid",), functools.partial(open_hunyuan, size=HUNYUAN_SIZE)
    ),
}


def measure_published(name: str, device: str, small: bool, steps: int, plain_steps: int) -> list[dict[str, Any]]:
    """The run without a cache, and one for each preset."""
    published = PUBLISHED[name]
    subject = published.open(device, small)
    subject.run(2)  # loads the kernels
    rows = [measure_run(subject, device, None, plain_steps)]
    rows[0] |= {key: rows[0][key] * steps / plain_steps for key in ("seconds", "joules") if rows[0][key] is not None}
    rows[0] |= {"computed": steps, "measured_steps": plain_steps}
    rows += [measure_run(subject, device, preset, steps) for preset in published.presets]
    return [{"model": name, "size": published.size, "steps": steps, **row} for row in rows]


def measure_run(subject: Subject, device: str, preset: str | None, steps: int) -> dict[str, Any]:
    """Seconds, joules and peak memory of one run."""
    clock, energy = Clock(device), EnergyCounter(device)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    cache = None if preset is None else navicache.enable(subject.pipe, "inertial", mode=preset)
    before = energy.read_joules()
    seconds = clock.time(lambda: subject.run(steps))
    after = energy.read_joules()
    row: dict[str, Any] = {"preset": preset, "computed": steps, "measured_steps": steps, "seconds": seconds}
    row["joules"] = None if before is None or after is None else after - before
    row["peak_gib"] = torch.cuda.max_memory_allocated() / 2**30 if device == "cuda" else None
    if cache is not None:
        row["computed"] = cache.trace.runs[-1].computed
        cache.disable()
    return row


def show_rows(rows: Sequence[dict[str, Any]]) -> None:
    """One line a run, with its speed-up."""
    for row in rows:
        joules = "" if row["joules"] is None else f"  {row['joules'] / 1000:7.1f} kJ"
        print(
            f"{row['model']:<13} {row['preset'] or 'no cache':<9} computed {row['computed']:>3}"
            f"  {row['seconds']:8.2f} s{joules}  {rows[0]['seconds'] / row['seconds']:.2f}x",
            flush=True,
        )


def format_markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table of docs/cost.md; a plain run of fewer steps than all is marked."""
    lines = ["model | preset | computed | seconds | kJ | peak memory", "--- | --- | --- | --- | --- | ---"]
    for row in rows:
        name = f"{row['model']}, {row['size']}, {row['steps']} steps" if row["preset"] is None else ""
        is_scaled = row["preset"] is None and row["measured_steps"] < row["steps"]
        scaled = f" (from {row['measured_steps']} steps)" if is_scaled else ""
        figures = f"{row['seconds']:.1f}{scaled} | {row['joules'] / 1000:.1f} | {row['peak_gib']:.2f} GiB"
        lines.append(f"{name} | {row['preset'] or 'none'} | {row['computed']} | {figures}")
    return "".join(f"| {line} |\n" for line in lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the models that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--models", nargs="+", default=list(PUBLISHED), choices=list(PUBLISHED))
    parser.add_argument("--steps", type=int, help="other than published, to try the script")
    parser.add_argument("--plain-steps", type=int, help="steps of the run without a cache (all)")
    parser.add_argument("--small", action="store_true", help="tiny models and videos, to try the script")
    parser.add_argument("--json", type=Path, default=Path("build/published.json"), help="rows of other models stay")
    options = parser.parse_args(arguments)
    card = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    with torch.no_grad():
        for name in options.models:
            steps = options.steps or PUBLISHED[name].steps
            rows = measure_published(name, options.device, options.small, steps, options.plain_steps or steps)
            show_rows(rows)
            kept = json.loads(options.json.read_text()) if options.json.exists() else []
            others = [row for row in kept if row["model"] != name]
            save_json(options.json, others + [{"card": card, **row} for row in rows])


if __name__ == "__main__":
    main()
