"""Does the cache keep its speed-up under torch.compile? Whole runs of a random-weight WanPipeline, mode by mode.

    python -m benchmarks.real_size.compiled --device cuda --seconds 540       # Wan 2.1-1.3B size, 480x832
    python -m benchmarks.real_size.compiled --device cpu --small --steps 6    # a miniature, to try the script

Every mode has its own pipeline. A short run of each kind compiles what there is to compile before the clock starts,
and a timed run that compiles or records anything all the same says so. Only times mean anything, not pictures.
"""

import argparse
import gc
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import diffusers
import torch
from torch._dynamo.utils import counters

from benchmarks.json_file import save_json
from benchmarks.real_size.compiled_run import CACHES, KINDS, SEEDS, Setting, compare, compiled, measure, show
from benchmarks.real_size.wan import build

COMPILING = {"eager": 0, "regional": 30, "graphs unguided": 30, "graphs": 20, "graphs float32": 30, "whole": 90}
LAUNCHES = {"height": 256, "width": 256, "num_frames": 9}  # so few tokens that the host is what a run waits for


def put_on(pipe: Any, mode: str, backend: str) -> None:
    """Compile, as docs/runtime.md says, before any cache is enabled."""
    if mode == "regional":
        pipe.transformer.compile_repeated_blocks(fullgraph=True, backend=backend)
    elif mode == "whole":
        pipe.transformer.compile(backend=backend)


def real_size(mode: str, options: argparse.Namespace, done: dict[str, Any]) -> dict[str, Any]:
    """Eager, blocks compiled or the whole model compiled, at the size asked for."""
    call = {} if options.small else {"num_frames": options.frames}
    setting = Setting(build(options.device, options.small), options, call)
    put_on(setting.pipe, mode, options.backend)
    figures = compare(measure(setting, 3), done.get("eager") if mode != "eager" else None)
    if mode != "eager":
        figures["graphs_alone"] = {kind: alone(options.device, mode, kind) for kind in KINDS}
    return figures


def alone(device: str, mode: str, kind: str) -> int:
    """Graphs a small model comes to, where nothing was compiled before: the same number with and without a cache."""
    torch._dynamo.reset()
    pipe, before = build(device, True), compiled()
    put_on(pipe, mode, "eager")
    setting = Setting(pipe, argparse.Namespace(device=device, small=True), {})
    with setting.cached(kind):
        setting.run(6)
    return compiled() - before


def cuda_graphs(mode: str, options: argparse.Namespace, done: dict[str, Any]) -> dict[str, Any]:
    """Four layers and few tokens with mode="reduce-overhead", beside the same pipeline before it was compiled."""
    if options.device != "cuda":
        return {"skipped": "CUDA graphs need --device cuda"}
    dtype, guided = torch.float32 if mode == "graphs float32" else torch.bfloat16, mode != "graphs unguided"
    layers = {} if options.small else {"num_layers": 4}
    call = {**LAUNCHES, "guidance_scale": 5.0 if guided else 1.0}
    setting = Setting(build(options.device, options.small, dtype, **layers), options, call, marks=guided)
    eager, wanted = measure(setting, options.steps), {kind: latents(setting, kind) for kind in KINDS}
    setting.pipe.transformer.compile(mode="reduce-overhead")
    figures = compare(measure(setting, options.steps), eager)
    tolerance = 1e-3 if dtype == torch.float32 else 5e-2
    figures["eager"], figures["cudagraph_skips"] = eager, counters["inductor"]["cudagraph_skips"]
    figures["latents"] = {kind: distance(latents(setting, kind), wanted[kind], tolerance) for kind in KINDS}
    return figures


def latents(setting: Setting, kind: str) -> torch.Tensor:
    """Three generations under one cache."""
    with setting.cached(kind):
        return torch.stack([setting.run(setting.options.steps, seed).float().cpu() for seed in SEEDS])


def distance(got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> dict[str, Any]:
    """The largest difference of each generation, and whether all are close."""
    close = torch.allclose(got, wanted, rtol=tolerance, atol=tolerance)
    worst = [(g - w).abs().max().item() for g, w in zip(got, wanted, strict=True)]
    return {"max_difference": worst, "largest": wanted.abs().max().item(), "tolerance": tolerance, "allclose": close}


def attempt(mode: str, options: argparse.Namespace, done: dict[str, Any]) -> dict[str, Any]:
    """One mode from a clean slate; its failure is a result too."""
    torch._dynamo.reset()
    counters.clear()
    work: Callable[..., dict[str, Any]] = cuda_graphs if mode.startswith("graphs") else real_size
    start = time.perf_counter()
    try:
        figures = work(mode, options, done)
    except Exception:
        figures = {"error": traceback.format_exc()}
    torch._dynamo.reset()
    gc.collect()
    if options.device == "cuda":
        torch.cuda.empty_cache()
    return {**figures, "mode_seconds": time.perf_counter() - start}


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cpu", "cuda"))
    parser.add_argument("--small", action="store_true", help="two narrow layers")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--frames", type=int, default=81)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=240, help="no mode begins that would not be done by then")
    parser.add_argument("--modes", nargs="+", default=[*COMPILING], choices=COMPILING)
    parser.add_argument("--backend", default="inductor", help="of torch.compile, CUDA graphs aside")
    parser.add_argument("--out", type=Path, default=Path("build/compiled"), help="a folder for compiled.json")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """All modes that there is time for."""
    start, options = time.perf_counter(), parsed(arguments)
    card = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    figures: dict[str, Any] = {"device": card, "torch": torch.__version__, "diffusers": diffusers.__version__}
    figures["options"] = {name: str(value) for name, value in vars(options).items()}
    done: dict[str, Any] = figures.setdefault("modes", {})
    print({name: figures[name] for name in ("device", "torch", "diffusers")}, CACHES, flush=True)
    for mode in options.modes:
        runs = 0.0 if mode.startswith("graphs") else done.get("eager", {}).get("mode_seconds", 0.0)
        left, needed = options.seconds - (time.perf_counter() - start), runs + COMPILING[mode]
        short = f"{left:.0f} s left, {needed:.0f} s needed" if left < needed else None
        done[mode] = {"skipped": short} if short else attempt(mode, options, done)
        show(mode, done[mode])
        save_json(options.out / "compiled.json", figures)


if __name__ == "__main__":
    main()
