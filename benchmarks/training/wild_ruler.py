"""How hard the member `wild` is for caches, by the paper's ruler: half of the steps, PSNR against the run of all.

    python -m benchmarks.training.wild_ruler --checkpoint build/wild/result --device cuda

Sought: `navicache` between 22 and 34 dB, and at least 3 dB above fewer steps and above `static`.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, UniPCMultistepScheduler

from navicache import enable
from navicache.policies import build_policy
from navicache_pocket.train import configs
from navicache_pocket.train.wild.pipeline import (
    GUIDANCE,
    SHIFT,
    VideoCall,
    generate_videos,
    open_wild_pipeline,
    save_contact_sheet,
)
from navicache_pocket.world.render import FRAMES, SIZE
from navicache_pocket.world.wild import list_wild_captions

SCHEDULERS: dict[str, Callable[[float], Any]] = {
    "unipc": lambda shift: UniPCMultistepScheduler(**{**configs.SCHEDULER, "flow_shift": shift}),
    "euler": lambda shift: FlowMatchEulerDiscreteScheduler(shift=shift),
}
SEARCH_ROUNDS = 7
POLICIES = ("easycache", "inertial")
HIGHEST_THRESHOLD = 3.0
SEED = 100  # of the first video


@dataclass(frozen=True)
class Row:
    """One line of the table; decibels over the captions."""

    sampler: str
    name: str
    computed: float
    median: float
    mean: float
    worst: float
    knobs: dict[str, float]

    def __str__(self) -> str:
        """The line as text."""
        knobs = ", ".join(f"{knob} {value:.4g}" for knob, value in self.knobs.items())
        quality = f"{self.median:7.2f} {self.mean:7.2f} {self.worst:7.2f}"
        return f"{self.sampler:12s} {self.name:12s} {self.computed:6.2f} {quality}  {knobs}"


@dataclass(frozen=True)
class Ruler:
    """One pipeline with one setting, and its videos of all steps."""

    pipe: Any
    sampler: str
    captions: list[str]
    call: VideoCall
    reference: torch.Tensor

    @property
    def steps(self) -> int:
        """Of the run of all steps."""
        return self.call.steps

    def measure_fewer_steps(self) -> Row:
        """Plain run of half the steps."""
        videos = generate_videos(self.pipe, self.captions, replace(self.call, steps=self.steps // 2), SEED)
        return self._make_row("fewer steps", videos, self.steps // 2, {})

    def measure_policy(self, policy: str, **knobs: float) -> Row:
        """Run of all steps with a cache."""
        with enable(self.pipe, build_policy(policy, **knobs)) as cache:
            videos = generate_videos(self.pipe, self.captions, self.call, SEED)
        run = cache.trace.runs[-1]
        return self._make_row(policy, videos, run.computed / run.samples, knobs)

    def search_threshold(self, policy: str, align_steps: int) -> Row:
        """The threshold with which half of the steps are computed, by bisection."""
        low, high = 0.0, HIGHEST_THRESHOLD
        best = self.measure_policy(policy, threshold=high, align_steps=align_steps)
        for _ in range(SEARCH_ROUNDS):
            middle = (low + high) / 2 if low else high / 4
            row = self.measure_policy(policy, threshold=middle, align_steps=align_steps)
            best = min(best, row, key=lambda one: abs(one.computed - self.steps / 2))
            if abs(row.computed - self.steps / 2) < 0.3:
                break
            low, high = (middle, high) if row.computed > self.steps / 2 else (low, middle)
        return best

    def _make_row(self, name: str, videos: torch.Tensor, computed: float, knobs: dict[str, float]) -> Row:
        errors = (videos - self.reference).square().mean((2, 3, 4)).clamp(min=1e-10)
        decibels = (-10 * errors.log10()).mean(1)
        figures = (decibels.median().item(), decibels.mean().item(), decibels.min().item())
        return Row(self.sampler, name, computed, *figures, knobs)


def measure_setting(pipe: Any, sampler: str, shift: float, guidance: float, options: argparse.Namespace) -> list[Row]:
    """All rows of one sampler, shift and guidance; prints each."""
    pipe.scheduler = SCHEDULERS[sampler](shift)
    call = VideoCall(options.steps, options.size, options.frames, guidance)
    every = list_wild_captions()
    captions = [every[5 * place % len(every)] for place in range(options.captions)]
    begun, name = time.monotonic(), f"{sampler}-{shift:g}-{guidance:g}"
    reference = generate_videos(pipe, captions, call, SEED)
    print(f"{name}: {options.steps} steps of {len(captions)} videos in {time.monotonic() - begun:.1f} s", flush=True)
    if options.sheet:
        save_contact_sheet(reference, options.sheet.with_stem(f"{options.sheet.stem}-{name}"), columns=4)
    ruler, align = Ruler(pipe, name, captions, call, reference), options.align_steps
    measures: list[Callable[[], Row]] = [
        ruler.measure_fewer_steps,
        lambda: ruler.measure_policy("static", interval=2),
        lambda: ruler.search_threshold("navicache", align),
    ]
    if "easycache" in options.others:
        measures.append(lambda: ruler.search_threshold("easycache", align))
    if "inertial" in options.others:
        measures.append(lambda: ruler.measure_policy("inertial", speedup=2.0))
    rows = []
    for measure in measures:
        rows.append(measure())
        print(rows[-1], flush=True)
    _print_verdict(rows)
    return rows


def _print_verdict(rows: list[Row]) -> None:
    fewer, static, paper = (row.mean for row in rows[:3])
    right = 22 <= paper <= 34 and paper >= max(fewer, static) + 3
    print(f"{rows[0].sampler}: navicache {paper:.1f} dB, {paper - fewer:+.1f} to fewer steps,", end=" ")
    print(f"{paper - static:+.1f} to static: {'as hard as sought' if right else 'not yet'}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the checkpoint with each sampler, shift and guidance."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--captions", type=int, default=16)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--shifts", type=float, nargs="+", default=[SHIFT])
    parser.add_argument("--guidances", type=float, nargs="+", default=[GUIDANCE])
    parser.add_argument("--align-steps", type=int, default=10)
    parser.add_argument("--samplers", nargs="+", choices=[*SCHEDULERS], default=[*SCHEDULERS])
    parser.add_argument("--others", nargs="*", choices=POLICIES, default=[*POLICIES], help="measured besides")
    parser.add_argument("--out", type=Path, help="a JSON file for the rows")
    parser.add_argument("--sheet", type=Path, help="a JPEG for the videos of all steps")
    options = parser.parse_args(arguments)
    torch.set_float32_matmul_precision("high")
    pipe = open_wild_pipeline(options.checkpoint, options.device)
    print("sampler      row          computed  median    mean   worst  knobs")
    rows: list[Row] = []
    for setting in product(options.samplers, options.shifts, options.guidances):
        rows += measure_setting(pipe, *setting, options)
    if options.out:
        options.out.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
