"""Plain and cached runs of one pipeline in turns, compiled or not, and the speed-ups they come to."""

import argparse
import statistics
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.utils import counters

import navicache
from benchmarks.clock import Clock
from benchmarks.columns import table
from benchmarks.real_size.wan import generate, seeded

# Both compute about every second step whatever the numbers are, so that the computed steps are the same in all modes:
# navicache measures and decides as ever, but its threshold lets every reuse pass, and none may follow another.
CACHES: dict[str, dict[str, Any]] = {
    "static": {"interval": 2},
    "navicache": {"threshold": 1e3, "align_steps": 2, "longest_reuse": 1},
}
KINDS = ("plain", *CACHES)
SEEDS = (7, 8, 9)
MARGIN = 3.0  # percent


@dataclass
class Setting:
    """A pipeline and how it is called."""

    pipe: Any
    options: argparse.Namespace
    call: dict[str, Any]
    marks: bool = False  # CUDA graphs: both calls of a step belong together, and neither overwrites the other's output

    def run(self, steps: int, seed: int = SEEDS[0]) -> torch.Tensor:
        """One generation."""
        call = {**self.call, "generator": seeded(self.pipe.transformer.device, seed)}
        if self.marks:
            call["callback_on_step_end"] = lambda pipe, index, when, tensors: mark() or tensors
            mark()
        return generate(self.pipe, steps, self.options.small, **call)

    def cached(self, kind: str) -> AbstractContextManager[Any]:
        """The cache of this kind, or none."""
        return navicache.enable(self.pipe, kind, **CACHES[kind]) if kind in CACHES else nullcontext()

    def timed(self, kind: str, steps: int) -> dict[str, Any]:
        """Seconds of one generation, and what was compiled or recorded meanwhile."""
        graphs, records = compiled(), recorded()
        with self.cached(kind) as cache:
            seconds = Clock(self.options.device).time(lambda: self.run(steps))
            computed = cache.trace.runs[-1].computed if cache is not None else steps
        row = {"kind": kind, "seconds": seconds, "computed": computed, "steps": steps}
        return {**row, "graphs_compiled": compiled() - graphs, "graphs_recorded": int(recorded() > records)}


def mark() -> None:
    """A new step begins."""
    torch.compiler.cudagraph_mark_step_begin()


def compiled() -> int:
    """Graphs that Dynamo has compiled in this process, those compiled again included."""
    return counters["stats"]["unique_graphs"]


def recorded() -> int:
    """Grows with every CUDA graph that is recorded."""
    return counters["inductor"]["cudagraph_recorded_non_static_inputs"]


def measure(setting: Setting, warm: int) -> dict[str, Any]:
    """Warm up with `warm` steps, then time the kinds in turns."""
    warm_up = [setting.timed(kind, warm) for kind in KINDS]
    runs = [setting.timed(kind, setting.options.steps) for _ in range(setting.options.repeat) for kind in KINDS]
    by_kind = {kind: [run for run in runs if run["kind"] == kind] for kind in KINDS}
    median = {kind: statistics.median(run["seconds"] for run in rows) for kind, rows in by_kind.items()}
    return {
        "warm_up": warm_up,
        "runs": runs,
        "median": median,
        "computed": {kind: sorted({run["computed"] for run in rows}) for kind, rows in by_kind.items()},
        "speedup": {kind: median["plain"] / median[kind] for kind in CACHES},
        "compiled_while_timed": sum(run["graphs_compiled"] for run in runs),
        "recorded_while_timed": sum(run["graphs_recorded"] for run in runs),
    }


def compare(figures: dict[str, Any], eager: dict[str, Any] | None) -> dict[str, Any]:
    """How far each speed-up is from the uncompiled one."""
    if eager and "speedup" in eager:
        off = {kind: 100 * (figures["speedup"][kind] / eager["speedup"][kind] - 1) for kind in CACHES}
        figures["difference_percent"] = off
        figures["within"] = {kind: abs(value) < MARGIN for kind, value in off.items()}
        figures["same_computed"] = figures["computed"] == eager["computed"]
        figures["plain_gain"] = eager["median"]["plain"] / figures["median"]["plain"]
    return figures


def show(mode: str, figures: dict[str, Any]) -> None:
    """Print one mode's table."""
    print(f"\n{mode}", flush=True)
    if "median" not in figures:
        print(figures.get("skipped") or figures["error"], flush=True)
        return
    if "eager" in figures:
        show(f"{mode}: before compilation", figures["eager"])
        print(f"\n{mode}: compiled")
    head = ("kind", "computed", "median", "speed-up", "from eager", f"within {MARGIN:g} %", "warm-up", "graphs added")
    rows = [head]
    for kind, warm in zip(KINDS, figures["warm_up"], strict=True):
        times, off = figures["speedup"].get(kind, 1.0), figures.get("difference_percent", {}).get(kind)
        verdict = ("", "") if off is None else (f"{off:+.2f} %", "yes" if figures["within"][kind] else "NO")
        warmth = (f"{warm['seconds']:.2f} s", str(warm["graphs_compiled"]))
        computed = "/".join(map(str, figures["computed"][kind]))
        rows.append((kind, computed, f"{figures['median'][kind]:.4f} s", f"{times:.3f}x", *verdict, *warmth))
    table(rows)
    extra = ("compiled_while_timed", "recorded_while_timed", "same_computed", "plain_gain", "graphs_alone")
    print({name: figures[name] for name in (*extra, "cudagraph_skips", "latents") if name in figures}, flush=True)
