"""Wan 2.1 and HunyuanVideo at real size with random weights: whole runs against their computed steps, and memory.

    python -m benchmarks.real_size.whole_runs --device cuda --models "wan 1.3B"
    python -m benchmarks.real_size.whole_runs --device cpu --small --steps 8    # to try the script

A run with N computed steps should take N steps of the plain run, which is timed before and after. Both policies are set
to compute every other step. The weights are random, so that only times and bytes mean anything.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, HunyuanVideoPipeline, HunyuanVideoTransformer3DModel

import navicache
from benchmarks.clock import Clock
from benchmarks.json_file import save_json
from benchmarks.real_size import wan

WAN_14B = {"num_attention_heads": 40, "ffn_dim": 13824, "num_layers": 40}
HUNYUAN_SMALL = {"num_attention_heads": 2, "attention_head_dim": 32, "num_layers": 1, "num_single_layers": 1}
HUNYUAN_SMALL |= {"text_embed_dim": 32, "pooled_projection_dim": 16, "rope_axes_dim": (8, 12, 12)}
SMALL_SIZE = {"height": 64, "width": 96, "num_frames": 9}
HUNYUAN_SIZE = {"height": 544, "width": 960, "num_frames": 61}
POLICIES: dict[str, dict[str, Any]] = {
    "inertial": {"speedup": 2.0},
    "navicache": {"threshold": 1e9, "longest_reuse": 1, "align_steps": 3},  # then every other step
}


class Subject(NamedTuple):
    """A pipeline, and one run of it of so many steps."""

    pipe: Any
    run: Callable[[int], Any]


def open_wan(device: str, small: bool, **changes: Any) -> Subject:
    """Wan 2.1 at 81 frames of 832x480, with guidance in two calls."""
    pipe = wan.build(device, small, **({} if small else changes))
    return Subject(pipe, lambda steps: wan.generate(pipe, steps, small))


def open_hunyuan(
    device: str, small: bool, size: Mapping[str, int] = MappingProxyType(HUNYUAN_SIZE), **changes: Any
) -> Subject:
    """HunyuanVideo, at 61 frames of 960x544 if nothing is said; its guidance is an input: one call a step."""
    torch.manual_seed(0)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    with torch.device(device):
        model = HunyuanVideoTransformer3DModel(**{**(HUNYUAN_SMALL if small else {}), **changes}).eval().to(dtype)
    scheduler = FlowMatchEulerDiscreteScheduler(shift=7.0)
    parts = dict.fromkeys(("text_encoder", "tokenizer", "text_encoder_2", "tokenizer_2", "vae"))
    pipe = HunyuanVideoPipeline(**parts, transformer=model, scheduler=scheduler)
    pipe.set_progress_bar_config(disable=True)
    text = torch.randn(1, 256, model.config.text_embed_dim, device=device, dtype=dtype)
    given = {"prompt_embeds": text, "prompt_attention_mask": torch.ones(1, 256, device=device, dtype=torch.bool)}
    given["pooled_prompt_embeds"] = torch.randn(1, model.config.pooled_projection_dim, device=device, dtype=dtype)
    shape = SMALL_SIZE if small else size

    def run(steps: int) -> Any:
        generator = wan.seeded(torch.device(device), 7)
        return pipe(**given, **shape, num_inference_steps=steps, generator=generator, output_type="latent").frames

    return Subject(pipe, run)


MODELS: dict[str, Callable[[str, bool], Subject]] = {
    "wan 1.3B": open_wan,
    "wan 14B": lambda device, small: open_wan(device, small, **WAN_14B),
    "hunyuan": open_hunyuan,
}


def measure(name: str, subject: Subject, device: str, steps: int) -> list[dict[str, Any]]:
    """The plain run, each policy, and the plain run again."""
    clock, rows = Clock(device), []
    subject.run(2)  # warm up
    for what, knobs in (("no cache", None), *POLICIES.items(), ("no cache, again", None)):
        if device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        cache = None if knobs is None else navicache.enable(subject.pipe, what, **knobs)
        seconds = clock.time(lambda: subject.run(steps))
        computed = steps if cache is None else cache.trace.runs[-1].computed
        if cache is not None:
            cache.disable()
        peak = torch.cuda.max_memory_allocated() / 2**30 if device == "cuda" else 0.0
        rows.append({"model": name, "what": what, "computed": computed, "seconds": seconds, "peak_gib": peak})
    step = (rows[0]["seconds"] + rows[-1]["seconds"]) / 2 / steps
    return [{**row, "excess_percent": 100 * (row["seconds"] / (row["computed"] * step) - 1)} for row in rows]


def show(rows: list[dict[str, Any]]) -> None:
    """One line a run."""
    for row in rows:
        print(
            f"{row['model']:<9} {row['what']:<16} computed {row['computed']:>3}  {row['seconds']:8.2f} s  "
            f"{row['excess_percent']:+6.2f} % over steps x step time  peak {row['peak_gib']:6.2f} GiB",
            flush=True,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the models that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--small", action="store_true", help="tiny models and videos, to try the script")
    parser.add_argument("--json", type=Path, default=Path("build/whole_runs.json"), help="rows of other models stay")
    options = parser.parse_args(arguments)
    card = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    with torch.no_grad():
        for name in options.models:
            rows = measure(name, MODELS[name](options.device, options.small), options.device, options.steps)
            show(rows)
            kept = json.loads(options.json.read_text()) if options.json.exists() else []
            others = [row for row in kept if row["model"] != name]
            save_json(options.json, others + [{"card": card, "steps": options.steps, **row} for row in rows])


if __name__ == "__main__":
    main()
