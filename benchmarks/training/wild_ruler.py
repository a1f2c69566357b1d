"""How hard the member `wild` is for caches, by the paper's ruler: half of the steps, PSNR against the run of all.

    python -m benchmarks.training.wild_ruler --checkpoint build/wild/result --device cuda

Sought: `navicache` between 22 and 34 dB, and at least 3 dB above fewer steps and above `static`.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, UniPCMultistepScheduler

from navicache import enable
from navicache.policies import build_policy
from navicache_pocket.train import configs
from navicache_pocket.train.wild.__main__ import WAN_FOLDER
from navicache_pocket.train.wild.pipeline import SHIFT, generate_videos, open_wild_pipeline, save_contact_sheet
from navicache_pocket.world.wild import list_captions

SCHEDULERS: dict[str, Callable[[], Any]] = {
    "unipc": lambda: UniPCMultistepScheduler(**{**configs.SCHEDULER, "flow_shift": SHIFT}),
    "euler": lambda: FlowMatchEulerDiscreteScheduler(shift=SHIFT),
}
SEARCH_ROUNDS = 9
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
        return f"{self.sampler:6s} {self.name:12s} {self.computed:6.2f} {quality}  {knobs}"


@dataclass(frozen=True)
class Ruler:
    """One pipeline with one sampler, and its videos of all steps."""

    pipe: Any
    sampler: str
    captions: list[str]
    steps: int
    size: int
    reference: torch.Tensor

    def measure_fewer_steps(self) -> Row:
        """Plain run of half the steps."""
        videos = generate_videos(self.pipe, self.captions, self.steps // 2, seed=SEED, size=self.size)
        return self._make_row("fewer steps", videos, self.steps // 2, {})

    def measure_policy(self, policy: str, **knobs: float) -> Row:
        """Run of all steps with a cache."""
        with enable(self.pipe, build_policy(policy, **knobs)) as cache:
            videos = generate_videos(self.pipe, self.captions, self.steps, seed=SEED, size=self.size)
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
            if abs(row.computed - self.steps / 2) < 0.1:
                break
            low, high = (middle, high) if row.computed > self.steps / 2 else (low, middle)
        return best

    def _make_row(self, name: str, videos: torch.Tensor, computed: float, knobs: dict[str, float]) -> Row:
        errors = (videos - self.reference).square().mean((2, 3, 4)).clamp(min=1e-10)
        decibels = (-10 * errors.log10()).mean(1)
        figures = (decibels.median().item(), decibels.mean().item(), decibels.min().item())
        return Row(self.sampler, name, computed, *figures, knobs)


def measure_sampler(pipe: Any, sampler: str, options: argparse.Namespace) -> list[Row]:
    """All rows of one sampler; prints each."""
    pipe.scheduler = SCHEDULERS[sampler]()
    captions = (list_captions() * options.captions)[: options.captions]
    begun = time.monotonic()
    reference = generate_videos(pipe, captions, options.steps, seed=SEED, size=options.size)
    print(f"{sampler}: {options.steps} steps of {len(captions)} videos in {time.monotonic() - begun:.1f} s", flush=True)
    if options.sheet:
        save_contact_sheet(reference, options.sheet.with_stem(f"{options.sheet.stem}-{sampler}"), columns=4)
    ruler, align = Ruler(pipe, sampler, captions, options.steps, options.size, reference), options.align_steps
    rows = []
    for measure in (
        ruler.measure_fewer_steps,
        lambda: ruler.measure_policy("static", interval=2),
        lambda: ruler.search_threshold("navicache", align),
        lambda: ruler.search_threshold("easycache", align),
        lambda: ruler.measure_policy("inertial", speedup=2.0),
    ):
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
    """Measure the checkpoint with both samplers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--base", type=Path, default=WAN_FOLDER, help="the folder of wan")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--captions", type=int, default=16)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--align-steps", type=int, default=10)
    parser.add_argument("--samplers", nargs="+", choices=[*SCHEDULERS], default=[*SCHEDULERS])
    parser.add_argument("--out", type=Path, help="a JSON file for the rows")
    parser.add_argument("--sheet", type=Path, help="a JPEG for the videos of all steps")
    options = parser.parse_args(arguments)
    pipe = open_wild_pipeline(options.checkpoint, options.base, options.device)
    print("sampler row          computed  median    mean   worst  knobs")
    rows = [row for sampler in options.samplers for row in measure_sampler(pipe, sampler, options)]
    if options.out:
        options.out.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
