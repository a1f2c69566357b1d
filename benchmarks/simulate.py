r"""Variants of `inertial` against itself, by simulation: which change of the policy is worth its place in the engine?

    python benchmarks/simulate.py --device cuda --dtype bfloat16 --steps 30 --thresholds 0.09 0.115 0.14 \
        --variants '{"slower": {"growth_noise": 0.03}, "heavier": {"growth_noise": 0.03, "momentum": 0.3}}'

Every variant at every threshold, many of them as one batch, on the prompts kept for tuning. The fields of
`simulation.Variant` are what can be tried. In brackets: decibels above the line through the policy as it is, at as many
computed steps. Every run is a line of results.jsonl, and what is there is not run again.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from quality_bars import at
from quality_rows import Results, Row
from quality_runs import Bench, Scorer, add_model_options, summarise
from simulation import Simulation, Variant
from tqdm import tqdm

PLAIN = "as it is"
GAP = 3.0  # computed steps, at most, between the thresholds that the line is drawn through


def main(arguments: Sequence[str] | None = None) -> str:
    """Run what is missing, then one line a variant."""
    options = _options(arguments)
    results, condition = Results(options.out / "results.jsonl"), _condition(options)
    check_names(results.of(condition), options.variants)
    wanted = [(name, tau) for name in options.variants for tau in options.thresholds]
    missing = [entry for entry in wanted if not results.has(_row(condition, *entry))]
    if missing:
        run(Bench(options), results, condition, missing, options)
    text = report([row for row in results.of(condition) if row["curve"] in options.variants])
    print(text)
    return text


def check_names(rows: Sequence[Row], variants: dict[str, Row]) -> None:
    """Refuse to take what another variant of the same name has shown for this one's."""
    for row in rows:
        if row["knobs"] != variants.get(row["curve"], row["knobs"]):
            raise ValueError(
                f"{row['curve']!r} was run with {row['knobs']}: give the variant another name, or change --out"
            )


def run(bench: Bench, results: Results, condition: Row, missing: list[tuple[str, float]], options: Any) -> None:
    """Several variants at a time, against the videos with every step computed."""
    scorer = Scorer(options.device, ())
    bench.schedule(options.scheduler)
    reference = bench.decode(bench.latents(range(options.prompts), options.num_steps))
    for first in tqdm(range(0, len(missing), options.together), unit="batch"):
        chosen = missing[first : first + options.together]
        variants = [Variant(tau, **options.variants[name]) for name, tau in chosen]
        latents, computed = Simulation(bench, variants, options.scheduler, options.num_steps).run()
        parts = zip(chosen, latents.split(options.prompts), computed.sum(1).split(options.prompts), strict=True)
        for entry, own, counts in parts:
            each = {"computed": counts.tolist(), **scorer.score(reference, bench.decode(own))}
            results.add({**_row(condition, *entry), "knobs": options.variants[entry[0]], **summarise(each)})


def report(rows: Sequence[Row]) -> str:
    """Computed steps and decibels of every variant, from few to many, and its worst prompts."""
    plain = [(row["computed"], row["psnr"]) for row in rows if row["curve"] == PLAIN]
    names = dict.fromkeys(row["curve"] for row in rows)
    lines = ["| variant | computed steps: PSNR (gain) | worst prompts |", "| --- | --- | --- |"]
    for name in names:
        own = sorted((row for row in rows if row["curve"] == name), key=lambda row: row["computed"])
        worst = " ".join(f"{row['psnr_worst']:.1f}" for row in own)
        lines.append(f"| {name} | {', '.join(_cell(row, plain) for row in own)} | {worst} |")
    return "\n".join(lines)


def _cell(row: Row, plain: Sequence[tuple[float, float]]) -> str:
    shown = f"{row['computed']:.2f}: {row['psnr']:.2f}"
    line = at(plain, row["computed"], GAP)
    return shown if line is None or row["curve"] == PLAIN else f"{shown} ({row['psnr'] - line:+.2f})"


def _row(condition: Row, name: str, threshold: float) -> Row:
    return {**condition, "curve": name, "setting": threshold}


def _condition(options: argparse.Namespace) -> Row:
    same = {name: getattr(options, name) for name in ("scheduler", "prompts", "guidance", "size", "frames", "dtype")}
    return {"kind": "simulated", "set": "tune", "steps": options.num_steps, "device": options.device, **same}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add_model_options(add)
    add("--out", type=Path, default=Path("build/simulation"))
    add("--prompts", type=int, default=64 if torch.cuda.is_available() else 4)
    add("--steps", type=int, default=50, dest="num_steps")
    add("--thresholds", type=float, nargs="+", default=[0.06, 0.1, 0.14, 0.2])
    add("--variants", type=json.loads, default={}, metavar="JSON", help="names, and the fields each of them changes")
    add("--together", type=int, default=12, help="runs in one batch")
    options = parser.parse_args(arguments)
    options.tune, options.batch, options.variants = True, options.prompts, {PLAIN: {}, **options.variants}
    options.out.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
