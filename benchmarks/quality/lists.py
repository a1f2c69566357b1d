"""Lists of computed steps in hindsight: complete a plan with about 100 of them, for each model, condition and budget.

    python -m benchmarks.quality.lists plans/pocket/ground.toml --out build/ground/plan.toml
    python -m benchmarks.quality.shared_calls build/ground/plan.toml --only models=wan --out RESULTS/wan

Nobody knows beforehand which list is best for a cell, so the best of them measures what a policy could have had there.
Each is one run of the policy `schedule`. Fifteen follow a weight (src/navicache/evaluation/tuning/weighted_lists.py),
71 a cost (cost_lists.py), and 18 are those of published models, scaled (published_schedules.py).
"""

import argparse
import shutil
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from benchmarks.quality.cost_lists import COST_LISTS
from benchmarks.quality.noise_levels import read_cell_levels
from benchmarks.quality.published_schedules import group_lists, scale_list
from navicache.cli.bench.plan_setup import add_embedded_calls
from navicache.evaluation.bench.equal_steps import BUDGETS, count_computed
from navicache.evaluation.bench.plan import BenchPlan, PlanCondition, PlanModel
from navicache.evaluation.bench.plan_file import parse_plan, read_plan
from navicache.evaluation.tuning.weighted_lists import LISTS, weigh_steps


def computed_counts(steps: int, budgets: Sequence[Fraction] = BUDGETS) -> list[int]:
    """The computed steps of the lists: those of every budget that a run of this length has.

    Example:
        >>> computed_counts(50), computed_counts(20), computed_counts(12)
        ([25, 21, 17, 13, 9], [10, 7, 5], [6, 4])
    """
    return [count for budget in budgets if (count := count_computed(budget, steps)) is not None]


def write_settings(plan: BenchPlan) -> str:
    """All lists as entries of a plan; conditions with the same list share one."""
    shared: dict[tuple[str, str, tuple[int, ...]], list[str]] = {}
    for model in plan.models:
        for condition in plan.conditions_of(model):
            for name, steps in cell_lists(model, condition):
                shared.setdefault((model.name, name, steps), []).append(condition.name)
    return "".join(write_setting(*key, conditions) for key, conditions in shared.items())


def cell_lists(model: PlanModel, condition: PlanCondition) -> list[tuple[str, tuple[int, ...]]]:
    """The names and steps of all lists of a cell."""
    levels = read_cell_levels(model, condition)
    counts = computed_counts(len(levels) - 1)
    return [(name, tuple(steps)) for count in counts for name, steps in choose_lists(levels, count).items()]


def choose_lists(levels: Sequence[float], count: int) -> dict[str, list[int]]:
    """All lists with this many computed steps, by name; `levels` is one longer than the run.

    Example:
        >>> lists = choose_lists([1 - step / 20 for step in range(21)], 7)
        >>> len(lists), lists["list even"], lists["published FLUX.1-dev hill_climbing"]
        (104, [0, 1, 2, 5, 10, 16, 19], [0, 1, 2, 4, 6, 11, 19])
    """
    weighted = {f"list {name}": weigh_steps(weight, levels, count) for name, weight in LISTS.items()}
    by_cost = {name: each.choose(levels, count) for name, each in COST_LISTS.items()}
    published = {name: scale_list(lists, count, len(levels) - 1) for name, lists in group_lists().items()}
    return {**weighted, **by_cost, **published}


def write_setting(model: str, name: str, steps: Sequence[int], conditions: Sequence[str]) -> str:
    """One list as an entry of a plan."""
    names = ", ".join(f'"{condition}"' for condition in conditions)
    return (
        f'\n[[settings]]\nname = "{name} {len(steps)}"\nseries = "{name}"\npolicy = "schedule"\n'
        f'models = ["{model}"]\nconditions = [{names}]\nknobs = {{ at = {list(steps)} }}\n'
    )


def complete_plan(
    arguments: Sequence[str] | None, description: str | None, default: Path, write_more: Callable[[BenchPlan], str]
) -> int:
    """Write the plan of a command line with more settings, and copy its prompts beside it."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--out", type=Path, default=default, help="(%(default)s)")
    options = parser.parse_args(arguments)
    plan = add_embedded_calls(read_plan(options.plan))
    text = options.plan.read_text(encoding="utf-8") + write_more(plan)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    for prompts in (plan.prompts, *(condition.prompts for condition in plan.conditions)):
        if prompts is not None and prompts.file:
            shutil.copy(options.plan.parent / prompts.file, options.out.parent / prompts.file)
    cells = sum(len(plan.conditions_of(model)) for model in plan.models)
    print(f"{cells} cells, {len(parse_plan(text).settings)} settings: {options.out}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the plan with all lists."""
    return complete_plan(arguments, __doc__, Path("build/ground/plan.toml"), write_settings)


if __name__ == "__main__":
    raise SystemExit(main())
