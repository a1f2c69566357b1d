"""All policies at the same measured speed: one table of PSNR, SSIM and LPIPS on the embedded model.

    python benchmarks/rivals.py --device cuda                      # quality on 32 prompts, then time on 4
    python benchmarks/rivals.py --device cuda --part 2 8           # every eighth setting: several can run side by side
    python benchmarks/rivals.py --device cuda --only timing        # alone on the machine
    python benchmarks/rivals.py --only report

Policies that decide once for a whole call run one prompt at a time; the others many at once, but by the clock all are
alone. Every setting is a line of results.jsonl, and what is
there is not measured again; parts write files of their own. Between two settings of a policy figures are interpolated;
what a policy cannot reach is said.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quality_bars import at
from quality_rivals import Stopwatch
from quality_runs import Bench, Scorer, add_model_options, computed_steps, summarise
from rivals_curves import CURVES, EVERY_STEP, SPEEDS, Curve, Rows
from torch import Tensor
from tqdm import tqdm

import navicache

FIGURES = ("psnr", "ssim", "lpips")


def main(arguments: Sequence[str] | None = None) -> Rows:
    """Measure what is missing, then the table."""
    options = _options(arguments)
    part = f"_{options.part[0]}_of_{options.part[1]}" if options.part else ""
    rows = Rows(options.out, f"results{part}.jsonl")
    if options.only != "report":
        bench = Bench(options)
        bench.schedule(options.scheduler)
        if options.only in (None, "quality"):
            measure_quality(bench, rows, options)
        if options.only in (None, "timing") and not options.part:
            measure_time(bench, rows, options)
    if not options.part:
        text = report(rows)
        (options.out / "rivals.md").write_text(text + "\n")
        print(text)
    return rows


def settings(options: argparse.Namespace) -> list[tuple[str, Curve, float]]:
    """Every setting of the policies asked for; of a part, its share."""
    chosen = [(name, CURVES[name], value) for name in options.policies for value in CURVES[name].settings]
    first, every = options.part or (0, 1)
    return chosen[first::every]


def measure_quality(bench: Bench, rows: Rows, options: argparse.Namespace) -> None:
    """Each prompt's video against the one without a cache."""
    scorer = Scorer(options.device, options.metrics)
    missing = [entry for entry in settings(options) if not rows.has("quality", entry[0], entry[2])]
    reference = None
    for name, curve, value in tqdm(missing, desc="quality", unit="setting"):
        if reference is None:
            reference = bench.decode(bench.latents(range(options.prompts), options.num_steps))
        with curve.applied(bench.pipe, value) as cache:
            steps = curve.steps(value, options.num_steps)
            if curve.together:
                latents, computed = run_together(bench, steps, cache)
            else:
                latents, _, computed = Stopwatch(bench, steps).run(range(options.prompts), f"{name} {value:g}")
        each = {"computed": computed, **scorer.score(reference, bench.decode(latents))}
        rows.add({"kind": "quality", "policy": name, "setting": value, **summarise(each), "code": curve.group})


def run_together(bench: Bench, steps: int, cache: navicache.Cache | None) -> tuple[Tensor, list[int]]:
    """All prompts as one batch, and the computed steps of each."""
    count = len(bench.prompts)
    latents = bench.latents(range(count), steps)
    found = [steps] if cache is None else computed_steps(cache.trace.runs[-1])
    return latents, found if len(found) == count else found * count  # one decision for all


def measure_time(bench: Bench, rows: Rows, options: argparse.Namespace) -> None:
    """Denoising by the clock, step by step: every setting once in each round, and the run that computes every step.

    Only the fastest of each step counts: what else goes on in a machine slows one down, and where it does so for
    minutes it spoils a round of some settings, and not the one measurement they have.
    """
    every = [("every step", EVERY_STEP, 1.0), *settings(options)]
    turns = [(turn, *entry) for turn in range(options.rounds) for entry in every]
    missing = [entry for entry in turns if rows.count("timing", entry[1], entry[3]) <= entry[0]]
    for _, name, curve, value in tqdm(missing, desc="timing", unit="setting"):
        with curve.applied(bench.pipe, value):
            watch = Stopwatch(bench, curve.steps(value, options.num_steps))
            with watch.counting():
                laps = [float(f"{lap:.6g}") for row in range(options.timed) for lap in watch.laps(row)[0]]
        about = {option: getattr(options, option) for option in ("device", "dtype", "timed")}
        rows.add(
            {"kind": "timing", "policy": name, "setting": value, "laps": laps, "computed": watch.computed, **about}
        )


def report(rows: Rows) -> str:
    """One line a policy, one group of columns a speed."""
    head = "| policy | " + " | ".join(f"{speed:g}x" for speed in SPEEDS) + " |"
    lines = [head, "|" + " --- |" * (1 + len(SPEEDS))]
    for name in CURVES:
        points = rows.points(name)
        if points:
            lines.append(f"| {name} | " + " | ".join(_cell(points, speed) for speed in SPEEDS) + " |")
    return "\n".join([*lines, "", "PSNR in dB / SSIM / LPIPS, at the measured speed-up of the denoising loop."])


def _cell(points: Sequence[dict[str, Any]], speed: float) -> str:
    """The figures at a speed, or why there are none; a policy that is faster with every setting has at least theirs."""
    fastest, slowest = (choose(point["speedup"] for point in points) for choose in (max, min))
    if fastest < speed:
        return f"not reached ({fastest:.2f}x at most)"
    if slowest > speed:
        return f"at {slowest:.2f}x: {_cell(points, slowest)}"
    found = []
    for figure, form in zip(FIGURES, (".2f", ".4f", ".4f"), strict=True):
        sign = -1 if figure == "lpips" else 1  # `at` takes the better of two at the same place
        known = [(point["speedup"], sign * point[figure]) for point in points if point[figure] is not None]
        value = at(known, speed, gap=1.5)
        found.append("-" if value is None else format(sign * value, form))
    return " / ".join(found)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add_model_options(add)
    add("--out", type=Path, default=Path("build/rivals"))
    add("--prompts", type=int, default=32)
    add("--timed", type=int, default=4, help="prompts that are timed")
    add("--rounds", type=int, default=3, help="of timing: each step counts with its fastest")
    add("--num-steps", type=int, default=50)
    add("--policies", nargs="+", default=[*CURVES], choices=[*CURVES], metavar="POLICY")
    add("--metrics", nargs="*", default=("ssim", "lpips"), choices=("ssim", "lpips"))
    add("--only", choices=("quality", "timing", "report"))
    add("--part", type=int, nargs=2, metavar=("NUMBER", "OF"), help="quality of a share of the settings")
    options = parser.parse_args(arguments)
    options.tune, options.batch = False, 1
    options.out.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
