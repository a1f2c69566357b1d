"""`navicache bench`: a plan of models, settings, prompts and seeds, measured; run it again to go on."""

import argparse
from pathlib import Path

from navicache.cli.options import parse_positive_int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="what to measure (plans/ has the paper's)")
    parser.add_argument("--out", type=Path, help="folder of the results (outputs/bench/NAME of the plan)")
    parser.add_argument("--executor", choices=("local", "ray"), default="local", help="(%(default)s)")
    parser.add_argument("--workers", type=parse_positive_int, help="of Ray: one for each GPU, or CPU, unless given")
    parser.add_argument("--ray-address", help="of a running cluster; --out must then lie where every machine sees it")
    parser.add_argument(
        "--prompts", type=parse_positive_int, metavar="N", help="so many prompts, in place of the plan's count"
    )
    parser.add_argument("--accuracy", type=parse_positive_int, metavar="N", help="the same for its runs in shadow mode")
    only = (
        "models=, conditions= or settings= and names or their first words, with * and commas: these alone; repeatable"
    )
    parser.add_argument("--only", action="append", default=[], metavar="KIND=NAMES", help=only)
    parser.add_argument("--part", metavar="N/OF", help="every so many-th group, for several processes (--out differs)")
    parser.add_argument(
        "--list", action="store_true", help="only say what would be measured, and what is missing for it"
    )
    vbench = "deprecated: `python -m benchmarks.vbench OUT --results DIR` takes in the scores that VBench has written"
    parser.add_argument("--vbench-results", type=Path, metavar="DIR", help=vbench)


def run(options: argparse.Namespace) -> int:
    """Measure what the plan asks for and is not measured yet."""
    from navicache.cli.bench.run import run_benchmark

    return run_benchmark(options)
