"""What a decision costs: the methods of the paper's table of auxiliary time and `inertial`, each timed directly.

    python -m benchmarks.cost.decisions --device cuda --csv docs/results/paper/decisions.csv
    python -m benchmarks.cost.decisions --small --models "Wan 2.1-1.3B" pocket:hunyuan --rounds 2 --steps 16
    python -m benchmarks.cost.decisions --device cuda --models Wan-AI/Wan2.1-T2V-1.3B-Diffusers    # its own weights

Whole pipelines run with one method after the other, each round in another order, in one process. A decision is what the
engine does from the arguments of a call until it is known whether to compute: find the call's place, take the signal,
measure, wait for the numbers, and ask the gate. The device is drained before and after, so that a decision does not pay
for the model's work. "After" is what follows a computed step: keep its output and start to measure it. The seconds of a
step are those of all its calls. Nothing is subtracted: "every step" decides nothing, and is timed in the same way.

At threshold 0 every step is computed and so every decision learns from the step before, which costs most. The first
steps and the last are left out: they are computed unasked. Models by the paper's names have random weights, the real
size and one block whose attention and feed-forward pass on what they get. The embedded models are whole, with packaged
calibrations; the seconds of calibrating are measured here too, in the same process.
"""

import argparse
import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

import navicache
from benchmarks.columns import table
from benchmarks.cost.decision_rows import FIGURES, DecisionRow, save_csv, summarise_laps
from benchmarks.cost.decision_subjects import REAL_SIZE, DecisionSubject, find_published_knobs, open_subject
from benchmarks.cost.decision_timer import DecisionTimer, StepLaps
from benchmarks.json_file import save_json
from navicache.cli.calibrate.measure import DEFAULT_SIGNAL, calibrate
from navicache.generation.job import CacheSettings, GenerationJob
from navicache.models import CALIBRATED_METHODS
from navicache.pocket.prompts import PROMPTS

MEMBERS = ("pocket:wan", "pocket:hunyuan", "pocket:opensora")
ALIGN_STEPS = 3
LEAST_STEPS = 13  # `inertial` computes every step of a run with 12 or fewer
CALIBRATION_PROMPTS = PROMPTS[:3]
METHODS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "every step": ("static", {"interval": 1.0}),
    "TeaCache": ("teacache", {"threshold": 0.0, "align_steps": ALIGN_STEPS}),
    "MagCache": ("magcache", {"threshold": 0.0}),
    "EasyCache": ("easycache", {"threshold": 0.0, "align_steps": ALIGN_STEPS}),
    "NaviCache": ("navicache", {"threshold": 0.0, "align_steps": ALIGN_STEPS}),
    "Inertial, threshold": ("inertial", {"threshold": 0.0}),
    "Inertial": ("inertial", {}),  # the default: a list of steps for a speed-up of 2
}


def time_model(model: str, options: argparse.Namespace) -> list[DecisionRow]:
    """Every method on one model."""
    subject = open_subject(model, options.device, options.small)
    laps: dict[str, list[StepLaps]] = {name: [] for name in METHODS}
    with torch.no_grad():
        for turn in range(options.rounds + 1):  # the first warms up
            for name in rotate(list(METHODS), turn):
                found = time_run(subject, name, options.steps, options.device)
                laps[name] += found if turn else []
    seconds = time_calibrations(subject, options) if options.calibration and subject.source is not None else {}
    shown = describe_model(model, subject, options.device)
    return [
        DecisionRow(
            **shown, method=name, policy=policy, **summarise_laps(laps[name]), calibration_seconds=seconds.get(policy)
        )
        for name, (policy, _) in METHODS.items()
    ]


def rotate(names: list[str], turn: int) -> list[str]:
    """Another order each round, so that no method always follows the same one.

    Example:
        >>> rotate(["a", "b", "c"], 1), rotate(["a", "b", "c"], 2)
        (['b', 'a', 'c'], ['c', 'a', 'b'])
    """
    first = turn % len(names)
    turned = names[first:] + names[:first]
    return turned if turn % 2 == 0 else [turned[0], *reversed(turned[1:])]


def time_run(subject: DecisionSubject, name: str, steps: int, device: str) -> list[StepLaps]:
    """One run with a method; steps that are computed unasked are left out."""
    policy, knobs = METHODS[name]
    knobs, measured = {**find_published_knobs(subject, policy), **knobs}, subject.calibrations.get(policy)
    with navicache.enable(subject.pipe, policy, calibration=measured, **knobs) as cache:
        (part,) = cache._attachments.values()
        timer = DecisionTimer(part.engine, device)
        subject.run(steps)
    return [lap for step, lap in timer.steps.items() if ALIGN_STEPS <= step < steps - 1]


def time_calibrations(subject: DecisionSubject, options: argparse.Namespace) -> dict[str, float]:
    """Seconds of calibrating each method that needs it; 0 for the others. The model is warm."""
    member = subject.source.member
    call = {**member.call, **({"num_inference_steps": options.calibration_steps} if options.calibration_steps else {})}
    job = GenerationJob(subject.source, CALIBRATION_PROMPTS, call, CacheSettings(), Path())
    seconds = dict.fromkeys((policy for policy, _ in METHODS.values()), 0.0)
    for method in set(seconds) & set(CALIBRATED_METHODS):
        seconds[method] = calibrate(method, DEFAULT_SIGNAL, subject.pipe, job, shown=False)[0].seconds
    return seconds


def describe_model(model: str, subject: DecisionSubject, device: str) -> dict[str, str]:
    """The columns that all rows of a model share."""
    card = torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    dtype = str(subject.pipe.transformer.dtype).removeprefix("torch.")
    return {"machine": card, "torch": torch.__version__, "model": model, "size": subject.size, "dtype": dtype}


def show(rows: Sequence[DecisionRow]) -> None:
    """One line for each method."""
    head = ("model", "method", "steps", *(f"{name} ms" for name in FIGURES), "calibration s")
    cells = [(row.model, row.method, str(row.steps), *map(row.show, FIGURES), row.show_calibration()) for row in rows]
    table([head, *cells])


def main(arguments: Sequence[str] | None = None) -> None:
    """Time all models, print the figures and write them."""
    options = parse_arguments(arguments)
    rows: list[DecisionRow] = []
    for model in options.models:
        rows += time_model(model, options)
        gc.collect()
    show(rows)
    if options.csv:
        save_csv(options.csv, rows)
    if options.json:
        save_json(options.json, [row._asdict() for row in rows])


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cpu", "cuda"))
    known = (
        f"{', '.join(REAL_SIZE)}, pocket:NAME, a diffusers folder or a hub id (the paper's and {', '.join(MEMBERS)})"
    )
    add("--models", nargs="+", default=[*REAL_SIZE, *MEMBERS], metavar="NAME", help=known)
    add("--rounds", type=int, default=5, help="runs of each method on each model (%(default)s)")
    add("--steps", type=int, default=20, help=f"of a run, {LEAST_STEPS} or more (%(default)s)")
    add("--small", action="store_true", help="tiny models in place of the real sizes, to try the script")
    add("--no-calibration", dest="calibration", action="store_false", help="do not time the calibrations")
    add("--calibration-steps", type=int, help="in place of the model's own number, to try the script")
    add("--csv", type=Path, help="write the figures there, for the page of the paper's studies")
    add("--json", type=Path, help="write the figures there")
    options = parser.parse_args(arguments)
    if options.steps < LEAST_STEPS or options.rounds < 1:
        parser.error(f"give --steps {LEAST_STEPS} or more, and --rounds 1 or more")
    return options


if __name__ == "__main__":
    main()
