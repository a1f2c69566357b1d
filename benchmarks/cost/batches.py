"""Throughput of per-sample decisions against one decision for the whole batch, and against no cache.

    python -m benchmarks.cost.batches                                    # a small Wan on this machine's CPU
    python -m benchmarks.cost.batches --device cuda --layers 30 --width 1536 --dtype bfloat16 --out batches.json
    python -m benchmarks.cost.batches --samples 1 2 --steps 8 --repeats 1     # seconds, to try the script

`navicache bench` leaves the times of batches out. Every sample of a batch has a prompt and a seed of its own. The
weights are random, so that times and the share of computed rows mean something, and quality nothing.
"""

import argparse
import statistics
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, WanPipeline, WanTransformer3DModel

import navicache
from benchmarks.clock import Clock
from benchmarks.json_file import save_json

WAYS: dict[str, dict[str, Any] | None] = {"none": None, "call": {"rows": "call"}, "sample": {"rows": "sample"}}
TOKENS, TEXT_DIM = 16, 64


@dataclass(frozen=True)
class Line:
    """One way of deciding at one batch size."""

    samples: int
    rows: str
    seconds: float  # median of a generation
    samples_per_second: float
    computed: float  # share of the rows that went through the model


def build(arguments: argparse.Namespace) -> WanPipeline:
    """A Wan with random weights of the asked size, its time embedding slowed down as training would have it."""
    torch.manual_seed(0)
    heads = max(1, arguments.width // 128)
    transformer = WanTransformer3DModel(
        num_attention_heads=heads,
        attention_head_dim=arguments.width // heads,
        in_channels=16,
        out_channels=16,
        text_dim=TEXT_DIM,
        ffn_dim=4 * arguments.width,
        num_layers=arguments.layers,
    )
    transformer.condition_embedder.time_embedder.linear_1.weight.data[:, ::2] *= 0.05
    transformer.to(device=arguments.device).to(dtype=getattr(torch, arguments.dtype)).eval()
    pipe = WanPipeline(None, None, None, FlowMatchEulerDiscreteScheduler(shift=3.0), transformer=transformer)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def generate(pipe: WanPipeline, samples: int, arguments: argparse.Namespace) -> None:
    """One generation; guidance is on, so each step calls the model twice."""
    generators = [torch.Generator().manual_seed(seed) for seed in range(samples)]
    texts = [torch.randn(1, TOKENS, TEXT_DIM, generator=torch.Generator().manual_seed(99 + k)) for k in range(samples)]
    text = torch.cat(texts).to(arguments.device, pipe.transformer.dtype)
    pipe(
        prompt_embeds=text,
        negative_prompt_embeds=torch.zeros_like(text),
        num_inference_steps=arguments.steps,
        height=arguments.height,
        width=arguments.pixels,
        num_frames=arguments.frames,
        generator=generators,
        output_type="latent",
        guidance_scale=4.0,
    )


def cached(pipe: WanPipeline, way: str, arguments: argparse.Namespace) -> AbstractContextManager[Any]:
    """The cache that decides this way, or none."""
    knobs = WAYS[way]
    if knobs is None:
        return nullcontext()
    given = {"threshold": arguments.threshold, "align_steps": arguments.align_steps}
    return navicache.enable(pipe, "navicache", **given, **knobs)


def measure(pipe: WanPipeline, samples: int, way: str, arguments: argparse.Namespace) -> Line:
    """Median over the repeats, after a generation to warm up."""
    clock, computed = Clock(arguments.device), 1.0
    with cached(pipe, way, arguments) as cache:
        seconds = [clock.time(lambda: generate(pipe, samples, arguments)) for _ in range(arguments.repeats + 1)]
        if cache is not None:
            steps = cache.trace.runs[-1].steps
            computed = sum(step.computed for step in steps) / len(steps)
    median = statistics.median(seconds[1:])
    return Line(samples, way, round(median, 4), round(samples / median, 4), round(computed, 4))


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, nargs="+", default=[1, 2, 4, 8])
    sizes = {"layers": 2, "width": 128, "height": 96, "pixels": 128, "frames": 9, "steps": 20, "repeats": 3}
    for name, default in {**sizes, "align-steps": 5}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--out", type=Path, help="write the lines as JSON")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> list[Line]:
    """Measure, print and write."""
    arguments = parse(words)
    pipe = build(arguments)
    lines = []
    print("samples  rows    seconds  samples/s  computed rows")
    for samples in arguments.samples:
        for way in WAYS:
            line = measure(pipe, samples, way, arguments)
            lines.append(line)
            print(f"{samples:7d}  {way:6s}  {line.seconds:7.3f}  {line.samples_per_second:9.3f}  {line.computed:12.0%}")
    if arguments.out is not None:
        about = {"torch": torch.__version__, "threads": torch.get_num_threads(), **vars(arguments)}
        about["out"] = arguments.out.name
        save_json(arguments.out, {"about": about, "lines": [asdict(line) for line in lines]})
    return lines


if __name__ == "__main__":
    main()
