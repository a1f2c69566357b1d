"""`navicache bench`: measure the models, settings, prompts and seeds of a plan. Run it again to continue."""

import argparse
from pathlib import Path

from navicache.cli.options import parse_positive_int, parse_positive_number


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="what to measure (plans/ has the paper's)")
    parser.add_argument("--out", type=Path, help="folder of the results (outputs/bench/NAME of the plan)")
    parser.add_argument("--executor", choices=("local", "ray"), default="local", help="(%(default)s)")
    parser.add_argument("--workers", type=parse_positive_int, help="number of Ray workers (one per GPU, or per CPU)")
    address = "address of a running cluster; every machine must see --out under the same path"
    parser.add_argument("--ray-address", help=address)
    count = {"type": parse_positive_int, "metavar": "N"}
    parser.add_argument("--prompts", **count, help="number of prompts, in place of the plan's")
    parser.add_argument("--accuracy", **count, help="number of prompts of its shadow runs, in place of the plan's")
    kinds = "models=, conditions= or settings= and names or their first words, with * and commas"
    only = f"{kinds}: these alone; repeatable"
    parser.add_argument("--only", action="append", default=[], metavar="KIND=NAMES", help=only)
    part = "every OF-th group from the N-th on, for several processes (each with its own --out)"
    parser.add_argument("--part", metavar="N/OF", help=part)
    jobs = "only say what would be measured, its GPU hours, and what is missing for it"
    parser.add_argument("--list", action="store_true", help=jobs)
    parser.add_argument("--seconds-per-step", type=parse_positive_number, help="for the GPU hours of --list")
    vbench = "deprecated: `python -m benchmarks.vbench OUT --results DIR` takes in the scores that VBench has written"
    parser.add_argument("--vbench-results", type=Path, metavar="DIR", help=vbench)


def run(options: argparse.Namespace) -> int:
    """Measure the jobs of the plan that are not finished."""
    from navicache.cli.bench.run import run_benchmark

    return run_benchmark(options)
