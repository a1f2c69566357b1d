"""How hard a member is for caches, by the paper's ruler: half of the steps, PSNR against the run of all.

    python -m benchmarks.training.hardness --member wild --checkpoint build/wild/result --device cuda
    python -m benchmarks.training.hardness --member ltx --checkpoint build/ltx/result --samplers euler --seconds 60

Sought: fewer steps between 14 and 22 dB, `navicache` between 22 and 34 and at least 3 above, and outputs that bend, by
+0.3 or more in the middle of the run (see `bend`).
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, UniPCMultistepScheduler

from benchmarks.json_file import save_json
from benchmarks.training import bend
from navicache import enable
from navicache.pocket.members import MEMBERS, checkpoint_path
from navicache.policies import build_policy
from navicache_pocket.train import configs
from navicache_pocket.train.hard.catalog import RECIPES
from navicache_pocket.train.hard.samples import generate_pictures, open_hard_pipeline
from navicache_pocket.train.wild.pipeline import save_contact_sheet
from navicache_pocket.world.wild import list_wild_captions

KNOWN = {"wild": MEMBERS["wild"], **{name: recipe.member for name, recipe in RECIPES.items()}}
SCHEDULERS: dict[str, Callable[[float], Any]] = {
    "euler": lambda shift: FlowMatchEulerDiscreteScheduler(shift=shift),
    "unipc": lambda shift: UniPCMultistepScheduler(**{**configs.SCHEDULER, "flow_shift": shift}),
}
SEARCH_ROUNDS = 7
POLICIES = ("easycache", "inertial")
HIGHEST_THRESHOLD = 3.0
ALIGN_SHARE = 0.2  # of the steps, which `navicache` computes first
SEED = 100  # of the first picture
HEAD = "setting                row          computed  median    mean   worst  knobs"


@dataclass(frozen=True)
class Row:
    """One line of the table; decibels over the captions."""

    setting: str
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
        return f"{self.setting:22s} {self.name:12s} {self.computed:6.2f} {quality}  {knobs}"


@dataclass(frozen=True)
class Ruler:
    """One pipeline with one setting, and its pictures of all steps."""

    pipe: Any
    setting: str
    captions: list[str]
    call: Mapping[str, Any]
    reference: torch.Tensor

    @property
    def steps(self) -> int:
        """Of the run of all steps."""
        return self.call["num_inference_steps"]

    def measure_fewer_steps(self) -> Row:
        """Plain run of half the steps."""
        fewer = {**self.call, "num_inference_steps": self.steps // 2}
        pictures = generate_pictures(self.pipe, self.captions, fewer, SEED)
        return self._make_row("fewer steps", pictures, self.steps // 2, {})

    def measure_policy(self, policy: str, **knobs: float) -> Row:
        """Run of all steps with a cache."""
        with enable(self.pipe, build_policy(policy, **knobs)) as cache:
            pictures = generate_pictures(self.pipe, self.captions, self.call, SEED)
        run = cache.trace.runs[-1]
        return self._make_row(policy, pictures, run.computed / run.samples, knobs)

    def search_threshold(self, policy: str) -> Row:
        """The threshold with which half of the steps are computed, by bisection."""
        low, high, align = 0.0, HIGHEST_THRESHOLD, round(ALIGN_SHARE * self.steps)
        best = self.measure_policy(policy, threshold=high, align_steps=align)
        for _ in range(SEARCH_ROUNDS):
            middle = (low + high) / 2 if low else high / 4
            row = self.measure_policy(policy, threshold=middle, align_steps=align)
            best = min(best, row, key=lambda one: abs(one.computed - self.steps / 2))
            if abs(row.computed - self.steps / 2) < 0.3:
                break
            low, high = (middle, high) if row.computed > self.steps / 2 else (low, middle)
        return best

    def list_measures(self, others: Sequence[str]) -> list[Callable[[], Row]]:
        """What is measured in a setting."""
        measures = [
            self.measure_fewer_steps,
            lambda: self.measure_policy("static", interval=2),
            lambda: self.search_threshold("navicache"),
        ]
        if "easycache" in others:
            measures.append(lambda: self.search_threshold("easycache"))
        if "inertial" in others:
            measures.append(lambda: self.measure_policy("inertial", speedup=2.0))
        return measures

    def _make_row(self, name: str, pictures: torch.Tensor, computed: float, knobs: dict[str, float]) -> Row:
        errors = (pictures - self.reference).square().mean((2, 3, 4)).clamp(min=1e-10)
        decibels = (-10 * errors.log10()).mean(1)
        figures = (decibels.median().item(), decibels.mean().item(), decibels.min().item())
        return Row(self.setting, name, computed, *figures, knobs)


def measure_setting(pipe: Any, sampler: str, shift: float, call: Mapping[str, Any], options: argparse.Namespace) -> Any:
    """The rows and the bend of one setting; prints each."""
    pipe.scheduler = SCHEDULERS[sampler](shift)
    every, steps = list_wild_captions(), call["num_inference_steps"]
    captions = [every[5 * place % len(every)] for place in range(options.captions)]
    begun, setting = time.monotonic(), f"{sampler}-{shift:g}-{_read_guidance(call):g}-{steps}"
    with bend.record_outputs(pipe.transformer) as outputs:
        reference = generate_pictures(pipe, captions, call, SEED)
    bends = bend.measure_bend(bend.group_by_step(outputs, steps))
    outputs.clear()
    print(f"{setting}: {steps} steps of {len(captions)} in {time.monotonic() - begun:.1f} s", flush=True)
    shown = ", ".join(f"{step}: {value:+.2f}" for step, value in bends.items())
    print(f"{setting}: bend {bend.average_middle(bends):+.2f} in the middle; at step {shown}", flush=True)
    if options.sheet:
        save_contact_sheet(reference, options.sheet.with_stem(f"{options.sheet.stem}-{setting}"), columns=4)
    rows = []
    for measure in Ruler(pipe, setting, captions, call, reference).list_measures(options.others):
        rows.append(measure())
        print(rows[-1], flush=True)
    _print_verdict(rows, bend.average_middle(bends))
    return {"setting": setting, "bend": bends, "rows": [asdict(row) for row in rows]}


def _read_guidance(call: Mapping[str, Any]) -> float:
    return call.get("true_cfg_scale", call["guidance_scale"])


def _print_verdict(rows: list[Row], middle: float) -> None:
    fewer, static, paper = (row.mean for row in rows[:3])
    right = 14 <= fewer <= 22 and 22 <= paper <= 34 and paper >= fewer + 3 and middle >= 0.3
    print(f"{rows[0].setting}: navicache {paper:.1f} dB, {paper - fewer:+.1f} to fewer steps,", end=" ")
    print(f"{paper - static:+.1f} to static: {'as hard as sought' if right else 'not yet'}", flush=True)


def main(arguments: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Measure the checkpoint with each number of steps, guidance, sampler and shift, while there is time."""
    options = _parse_options(arguments)
    begun, member = time.monotonic(), KNOWN[options.member]
    torch.set_float32_matmul_precision("high")
    pipe = open_hard_pipeline(member, options.checkpoint or checkpoint_path(member.name), options.device)
    guide = "true_cfg_scale" if "true_cfg_scale" in member.call else "guidance_scale"
    print(HEAD)
    found: list[dict[str, Any]] = []
    guidances = options.guidances or [_read_guidance(member.call)]
    for steps, guidance, sampler, shift in product(options.steps, guidances, options.samplers, options.shifts):
        if time.monotonic() - begun > options.seconds:
            print(f"no time is left for {sampler} at shift {shift:g} and {steps} steps")
            continue
        call = {**member.call, "num_inference_steps": steps, guide: guidance, **options.shape}
        found.append(measure_setting(pipe, sampler, shift, call, options))
        if options.out:
            save_json(options.out, found)
    return found


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--member", choices=[*KNOWN], default="wild")
    parser.add_argument("--checkpoint", type=Path, help="a folder; the packaged one by default, if there is one")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--captions", type=int, default=16)
    parser.add_argument("--steps", type=int, nargs="+", default=[50, 20])
    parser.add_argument("--shape", type=json.loads, default={}, help='JSON, such as {"height": 64, "width": 64}')
    parser.add_argument("--shifts", type=float, nargs="+", default=[3.0, 1.0, 5.0])
    parser.add_argument("--guidances", type=float, nargs="+", help="the member's own by default")
    parser.add_argument("--samplers", nargs="+", choices=[*SCHEDULERS], default=[*SCHEDULERS])
    parser.add_argument("--others", nargs="*", choices=POLICIES, default=[*POLICIES], help="measured besides")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no other setting is begun")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    parser.add_argument("--sheet", type=Path, help="a JPEG for the pictures of all steps")
    options = parser.parse_args(arguments)
    if not options.checkpoint and options.member not in MEMBERS:
        parser.error(f"no weights of {options.member} are packaged: name the folder of its training by --checkpoint")
    return options


if __name__ == "__main__":
    main()
