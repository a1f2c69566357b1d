"""Runs of 8 to 12 steps: complete a plan with every list that reuses two or three steps in the middle.

    python -m benchmarks.quality.few_steps plans/pocket/few_steps.toml --out build/few/plan.toml
    python -m benchmarks.quality.shared_calls build/few/plan.toml --only models=unet --out RESULTS/unet
    python -m benchmarks.quality.few_steps_table RESULTS/*

The first two steps and the last one are always computed.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from benchmarks.quality.lists import complete_plan, write_setting
from navicache.evaluation.bench.plan import STEPS, BenchPlan

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
                    reused_steps = "-".join(map(str, sorted(set(range(total)) - {*steps})))
                    entries.append(write_setting(model.name, f"list {reused_steps}", steps, [condition.name]))
    return "".join(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the plan with all lists."""
    return complete_plan(arguments, __doc__, Path("build/few/plan.toml"), write_settings)


if __name__ == "__main__":
    raise SystemExit(main())
