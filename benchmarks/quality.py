"""Quality against computed steps, and against measured speed-up, of the policies on the embedded model.

    python benchmarks/quality.py --device cuda --batch 64                         # curves, both schedulers, 50 and 30
    python benchmarks/quality.py --device cuda --tune --only-bars --steps 50      # on prompts kept for tuning
    python benchmarks/quality.py --device cuda --dtype float32 --only-timed --one-by-one --settings-from FILE   # rivals
    python benchmarks/quality.py --device cpu --only-timed --timed 1 --rounds 3 --settings-from FILE      # their time
    python benchmarks/quality.py --device cpu --prompts 4                         # float32 spot check
    python benchmarks/quality.py --seconds 0                                      # only tables and plot again

Every setting is one line of results.jsonl: what is there is not measured again, so a run may stop at any time. Videos
are compared with those of the same prompts and noise when every step is computed.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from quality_bars import report
from quality_curves import CURVES
from quality_rivals import RIVALS, find
from quality_rows import Deadline, Results, Row
from quality_runs import SCHEDULERS, Bench, Scorer
from quality_session import Session

import navicache.pocket
from navicache.pocket.train import denoiser

METRICS = ("ssim", "lpips")


def main(arguments: Sequence[str] | None = None) -> Results:
    """Measure what is missing, then report all there is."""
    options = _options(arguments)
    results = Results(options.out / "results.jsonl")
    check_curves(results)
    if options.seconds != 0 and not measure(results, options):
        print("stopped: time is up; run the same command again to go on")
    text = report(results, options.gap)
    (options.out / "bars.md").write_text(text + "\n")
    print(text)
    if len({row["code"] for row in results.rows}) > 1:
        print("note: the results were measured with different versions of the policies' code")
    from quality_plot import save_plots  # after the figures are safe: matplotlib may be missing where the GPU is

    save_plots(results, options.out)
    print(f"written to {options.out}")
    return results


def check_curves(results: Results) -> None:
    """Refuse to mix what two different curves of the same name have shown."""
    for row in results.rows:
        curve = row["curve"]
        if curve in (*CURVES, *RIVALS) and row["knobs"] != dict(find(curve).knobs):
            raise ValueError(f"{curve} was measured with {row['knobs']}: rename the new curve, or change --out")


def measure(results: Results, options: argparse.Namespace) -> bool:
    """Every condition and curve that was asked for; False when time is up first."""
    deadline, bench = Deadline(options.seconds), Bench(options)
    scorer = Scorer(options.device, options.metrics)
    if scorer.missing:
        print(f"no LPIPS: {scorer.missing}")
    ours = [curve for curve in options.curves if curve in CURVES]
    jobs = [("steps", options.prompts, ours)] * (not options.only_timed)
    jobs += [("one by one", options.prompts, options.curves)] * options.one_by_one
    jobs += [("timed", options.timed, options.curves)] * bool(options.timed)
    for kind, prompts, curves in jobs:
        for scheduler in options.schedulers:
            for steps in options.steps:
                condition = {**_condition(options), "scheduler": scheduler, "steps": steps}
                session = Session(bench, scorer, results, {**condition, "kind": kind, "prompts": prompts})
                if not all(session.trace_curve(curve, deadline) for curve in curves):
                    return False
    return True


def _condition(options: argparse.Namespace) -> Row:
    same = {name: getattr(options, name) for name in ("guidance", "size", "frames", "dtype", "device")}
    return {"set": "tune" if options.tune else "held-out", **same}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    cuda = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("--checkpoint", type=Path, default=navicache.pocket.checkpoint_path())
    add("--out", type=Path, default=Path("build/quality"))
    add("--device", default="cuda" if cuda else "cpu")
    add("--dtype", default="bfloat16" if cuda else "float32", choices=("float32", "bfloat16", "float16"))
    add("--batch", type=int, default=64 if cuda else 4)
    add("--prompts", type=int, default=64 if cuda else 4)
    add("--tune", action="store_true", help="prompts kept for tuning, none of which is held out")
    add("--schedulers", nargs="+", default=list(SCHEDULERS), choices=SCHEDULERS)
    add("--steps", type=int, nargs="+", default=[50, 30])
    add("--curves", nargs="+", default=[*CURVES, *RIVALS], choices=[*CURVES, *RIVALS], metavar="CURVE")
    add("--settings", type=float, nargs="+", help="these thresholds (intervals for TaylorSeer) instead of a search")
    add("--settings-from", type=Path, metavar="FILE", help="such lists for each curve, as JSON; only they are measured")
    add("--gap", type=float, default=2.0, help="most computed steps between neighbours on a curve")
    add("--only-bars", action="store_true", help="refine curves only around the points that are judged")
    add("--metrics", nargs="*", default=METRICS, choices=METRICS, help="beside PSNR")
    add("--timed", type=int, default=0, metavar="N", help="measure time too, rivals included, on N prompts one by one")
    add("--rounds", type=int, default=1, help="over a timed prompt, each step with its fastest: for busy machines")
    add("--one-by-one", action="store_true", help="quality of ours and rivals, every prompt by itself, not timed")
    add("--only-timed", action="store_true", help="no batches")
    add("--seconds", type=float, help="start no setting that would not end in time; 0 only reports")
    add("--guidance", type=float, default=5.0)
    add("--frames", type=int, default=navicache.pocket.FRAMES)
    add("--size", type=int, default=navicache.pocket.SIZE)
    add("--max-sequence-length", type=int, default=32)
    add("--trained-videos", type=int, default=denoiser.Settings.videos, help="captions left out")
    options = parser.parse_args(arguments)
    options.lists = json.loads(options.settings_from.read_text()) if options.settings_from else {}
    options.curves = [curve for curve in options.curves if curve in options.lists or not options.lists]
    if options.timed > options.prompts:
        parser.error(f"--timed {options.timed} is more than --prompts {options.prompts}")
    options.out.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
