"""Runs of 8 to 12 steps: complete a plan with every list that reuses two or three steps in the middle.

    python -m benchmarks.quality.few_steps plans/pocket/few_steps.toml --out build/few/plan.toml
    python -m benchmarks.quality.shared_calls build/few/plan.toml --only models=unet --out RESULTS/unet
    python -m benchmarks.quality.few_steps_table RESULTS/*

The first two steps and the last one are always computed.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from benchmarks.quality.lists import write_setting
from navicache.cli.bench.plan_setup import add_embedded_calls
from navicache.evaluation.bench.plan import STEPS, BenchPlan
from navicache.evaluation.bench.plan_file import read_plan

REUSED = (2, 3)
FIRST_STEPS = 2


def list_middles(total: int, reused: int) -> Iterator[tuple[int, ...]]:
    """Every list of computed steps that reuses so many, none of them at the ends.

    Example:
        >>> list(list_middles(5, 1))
        [(0, 1, 3, 4), (0, 1, 2, 4)]
    """
    for left_out in combinations(range(FIRST_STEPS, total - 1), reused):
        yield tuple(step for step in range(total) if step not in left_out)


def write_settings(plan: BenchPlan) -> str:
    """Every list as an entry of the plan."""
    entries: list[str] = []
    for model in plan.models:
        for condition in plan.conditions_of(model):
            total = {**model.call, **condition.call}[STEPS]
            for reused in REUSED:
                for steps in list_middles(total, reused):
                    name = "-".join(map(str, sorted(set(range(total)) - {*steps})))
                    entries.append(write_setting(model.name, name, steps, [condition.name]))
    return "".join(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the plan with all lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/few/plan.toml"), help="(%(default)s)")
    options = parser.parse_args(arguments)
    plan = add_embedded_calls(read_plan(options.plan))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(options.plan.read_text(encoding="utf-8") + write_settings(plan), encoding="utf-8")
    print(f"{len(read_plan(options.out).settings)} settings: {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
