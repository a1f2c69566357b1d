"""PSNR of cached runs of bare models to the run of every step, at equal computed steps.

python -m benchmarks.bare.measure build/bare/*.pt --out build/bare/table.json

The model is cached as a module: nobody tells the cache a scheduler or a noise level. Compared are `inertial` by
speed-up and by threshold, an even list, fewer steps, and the best of many lists in hindsight, which are built from the
true noise levels.
"""

import argparse
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from torch import nn

import navicache
from benchmarks.bare.kinds import KINDS, BareKind, load_model
from benchmarks.bare.samplers import Sampler, list_samplers
from benchmarks.bare.transformer import LABELS
from navicache.evaluation.tuning.weighted_lists import LISTS, weigh_steps
from navicache.policies.schedule_forms import PLAIN
from navicache.policies.step_costs import CostExponents, choose_steps, compute_step_costs
from navicache.records import open_atomic_file

STEPS = 50
COUNTS = (25, 21, 17, 13, 12, 9)
THRESHOLDS = (0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.12, 0.25, 0.5)
CLEAN_EXPONENTS = (0.0, 0.4, 0.7, 1.0, 1.4)
Curve = list[tuple[float, float]]  # computed steps and PSNR


@dataclass
class Bed:
    """A model with a sampler and noises, and its run of every step."""

    model: nn.Module
    kind: BareKind
    sampler: Sampler
    noise: torch.Tensor
    labels: torch.Tensor
    plain: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        """Run every step."""
        self.plain = self.draw(STEPS)

    def draw(self, steps: int) -> torch.Tensor:
        """Pictures of the model as it is now, in [0, 1]."""
        guidance, blank = self.sampler.guidance, torch.full_like(self.labels, LABELS)

        def denoise(x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
            times = time.expand(len(x))
            answer = self.model(x, times, self.labels)
            if guidance == 1:
                return answer
            plain = self.model(x, times, blank)
            return plain + guidance * (answer - plain)

        with torch.no_grad():
            drawn = self.sampler.sample(self.kind.noise, denoise, self.noise, steps)
        return (drawn.clamp(-1, 1) + 1) / 2

    def measure_policy(self, **options: Any) -> tuple[float, float]:
        """Computed steps of a cached run, and its PSNR, both as means over the samples."""
        with navicache.enable(self.model, steps=STEPS, **options) as cache:
            drawn = self.draw(STEPS)
            runs, samples = cache.trace.runs, range(len(drawn))
            counts = [len(runs[-1].computed_steps(sample=sample)) for sample in samples]
        return fmean(counts), self.compare(drawn)

    def compare(self, drawn: torch.Tensor) -> float:
        """Mean PSNR to the run of every step."""
        error = (drawn - self.plain).square().flatten(1).mean(1).clamp(min=1e-12)
        return (-10 * error.log10()).mean().item()


def list_hindsight(levels: Sequence[float], count: int) -> dict[str, list[int]]:
    """Lists from the true noise levels: other exponents and starts of the cost, and other weights."""
    found = {name: weigh_steps(weight, levels, count) for name, weight in LISTS.items()}
    usual = PLAIN.count_first_steps(count)
    for clean in CLEAN_EXPONENTS:
        costs = compute_step_costs(levels, CostExponents(clean=clean))
        for first in sorted({1, 2, usual, count // 2}):
            found[f"cost {clean}, first {first}"] = sorted(
                choose_steps(costs, count, first, PLAIN.count_last_steps(count))
            )
    return found


def read_curve(curve: Curve, count: float) -> float | None:
    """PSNR at so many computed steps, between two measured points.

    Example:
        >>> read_curve([(10.0, 30.0), (20.0, 40.0)], 15), read_curve([(10.0, 30.0)], 15)
        (35.0, None)
    """
    ordered = sorted(curve)
    for (low, below), (high, above) in itertools.pairwise(ordered):
        if low <= count <= high and low < high:
            return below + (above - below) * (count - low) / (high - low)
    return None


def measure_bed(bed: Bed, counts: Sequence[int] = COUNTS, hindsight: bool = True) -> dict[str, Any]:
    """All figures of one bed: for each series, computed steps and PSNR by the steps asked for."""
    rows: dict[str, Any] = {"speed-up": {n: bed.measure_policy(speedup=STEPS / n) for n in counts}}
    if hindsight:
        curve = [bed.measure_policy(policy="inertial", threshold=threshold) for threshold in THRESHOLDS]
        rows["threshold"] = {n: (n, read_curve(curve, n)) for n in counts}
        rows["fewer steps"] = {n: (n, bed.compare(bed.draw(n))) for n in counts}
        lists = {n: measure_lists(bed, n) for n in counts}
        rows["even"] = {n: lists[n]["evenly spaced"] for n in counts}
        rows["hindsight"] = {n: max(lists[n].values(), key=lambda found: found[1]) for n in counts}
        rows["lists"] = lists
    return rows


def measure_lists(bed: Bed, count: int) -> dict[str, tuple[float, float]]:
    """Every list in hindsight, and an even one."""
    levels = bed.sampler.list_levels(bed.kind.noise, STEPS)
    lists = {"evenly spaced": _list_even(count), **list_hindsight(levels, count)}
    return {name: bed.measure_policy(policy="schedule", at=steps) for name, steps in lists.items()}


def _list_even(count: int) -> list[int]:
    return sorted({round(place * (STEPS - 1) / (count - 1)) for place in range(count)})


def print_bed(title: str, rows: dict[str, Any]) -> None:
    """The main series of a bed as rows of a table."""
    for name in ("speed-up", "threshold", "even", "fewer steps", "hindsight"):
        if name in rows:
            cells = ("-" if psnr is None else f"{psnr:.1f}" for _, psnr in rows[name].values())
            print(f"| {title} | {name} | {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all models with all their samplers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--noises", type=int, default=16)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--only-speedup", action="store_true", help="not the other series")
    parser.add_argument("--out", type=Path, default=Path("build/bare/table.json"), help="(%(default)s)")
    options = parser.parse_args(arguments)
    table: dict[str, Any] = {}
    print(f"| model | series | {' | '.join(map(str, options.counts))} |")
    for path in options.models:
        name, model = load_model(path, options.device)
        kind = KINDS[name]
        generator = torch.Generator().manual_seed(1)
        noise = torch.randn((options.noises, 3, kind.size, kind.size), generator=generator).to(options.device)
        labels = torch.randint(0, LABELS, (options.noises,), generator=generator).to(options.device)
        for sampler in list_samplers(kind.noise, kind.guidance):
            title = f"{path.stem}, {sampler.title}"
            bed = Bed(model, kind, sampler, noise, labels)
            table[title] = measure_bed(bed, options.counts, not options.only_speedup)
            print_bed(title, table[title])
            with open_atomic_file(options.out) as file:
                file.write(json.dumps(table, indent=1).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
