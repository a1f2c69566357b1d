"""How far a schedule is from the lists that others compute on published weights.

    python -m benchmarks.quality.list_distance
    python -m benchmarks.quality.list_distance --at 0,1,2,4,6,11,24,41,49

The distance of two lists of equal length is the mean number of steps between their n-th computed steps. A figure is
the mean over the published lists of a budget; the mean and the figures by kind of list are means of these over the
budgets. Not counted are the commonest lists of TeaCache, SenCache and DiCache, which the data has for
the video models and the larger budgets only.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from benchmarks.quality.ruler_tables import format_table
from navicache.evaluation.tuning.weighted_lists import LISTS, weigh_steps
from navicache.models import PublishedList, read_published_lists
from navicache.policies import Inertial
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.protocols import NoiseLevels, Outcome, Step

# of the noise levels that the lists were made for; Qwen-Image's is taken from FLUX
SHIFTS = {"FLUX.1-dev": 3.2, "Qwen-Image": 3.2, "HunyuanVideo": 7.0, "Wan2.1-T2V-1.3B": 5.0}
NOT_COUNTED = ("teacache", "sencache", "dicache")
BUDGETS, TOTAL = (21, 13, 9), 50
DEFAULT, EVEN, AMONG = "the default", "even", "the published lists among themselves"
KINDS = {"searched": "searched", "planned": "planned", "gate": "SeaCache's"}

ChooseSteps = Callable[[str, int], Sequence[int]]  # of a model and a budget; empty if there are none


def choose_default(model: str, computed: int) -> list[int]:
    """The steps that the default computes on a published model.

    Example:
        >>> steps = choose_default("FLUX.1-dev", 13)
        >>> len(steps), steps[0], steps[-1]
        (13, 0, 49)
    """
    return ask_default(build_shifted_levels(TOTAL, SHIFTS[model]), computed)


def ask_default(levels: NoiseLevels, computed: int) -> list[int]:
    """The steps that the default computes, asked of its gate step by step; `levels` is one longer than the run.

    Example:
        >>> len(ask_default(build_shifted_levels(20, 3.0), 7))
        7
    """
    total = len(levels) - 1
    (scheme,) = Inertial(speedup=total / computed).schemes()
    state = scheme.gate.init()
    steps: list[int] = []
    for index in range(total):
        gap = index - steps[-1] if steps else 0
        about = {"gap": gap, "noise_levels": levels, "is_flow": True, "has_text": True}
        step = Step(index=index, local_index=index, total=total, **about)
        decision, state = scheme.gate.decide(state, step)
        if decision.compute:
            steps.append(index)
            outcome = Outcome(index=index, local_index=index, total=total, gap=gap, noise_levels=levels)
            state = scheme.gate.learn(state, outcome)
    return steps


def choose_even(model: str, computed: int) -> list[int]:
    """The first three steps, the last one, and others evenly between them.

    Example:
        >>> choose_even("FLUX.1-dev", 9)
        [0, 1, 2, 7, 16, 26, 35, 44, 49]
    """
    return weigh_steps(LISTS[EVEN], build_shifted_levels(TOTAL, SHIFTS[model]), computed)


def measure_distance(steps: Sequence[int], others: Sequence[int]) -> float:
    """The mean number of steps between the n-th computed steps.

    Example:
        >>> measure_distance([0, 1, 4, 9], [0, 2, 3, 9])
        0.5
    """
    return fmean(abs(one - other) for one, other in zip(steps, others, strict=True))


def list_counted() -> list[PublishedList]:
    """The published lists that a distance is taken to."""
    return [found for found in read_published_lists() if found.method not in NOT_COUNTED]


def measure_by_budget(choose: ChooseSteps, lists: Iterable[PublishedList]) -> dict[int, float]:
    """The mean distance to the lists of each budget, where both are there."""
    found: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for other in lists:
        if steps := choose(other.model, other.computed):
            found[other.computed].append(measure_distance(steps, other.at))
    return {budget: fmean(distances) for budget, distances in found.items() if distances}


def measure_mean(choose: ChooseSteps, lists: Iterable[PublishedList]) -> float:
    """The mean of `measure_by_budget`, every budget counted once."""
    return fmean(measure_by_budget(choose, lists).values())


def measure_spread(lists: Sequence[PublishedList]) -> dict[int, float]:
    """The mean distance of all counted lists to these, of each budget, and none to itself."""
    pairs = [(one, other) for one in list_counted() for other in lists if one.computed == other.computed]
    found: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for one, other in pairs:
        if one != other:
            found[one.computed].append(measure_distance(one.at, other.at))
    return {budget: fmean(distances) for budget, distances in found.items()}


def format_schedules(schedules: dict[str, ChooseSteps]) -> str:
    """A row for each schedule and one for the published lists, a column for each budget and each kind of list."""
    lists = list_counted()
    rows = [["schedule", *map(str, BUDGETS), "mean", *KINDS.values()]]
    kinds = [[each for each in lists if each.kind == kind] for kind in KINDS]
    for name, choose in schedules.items():
        by_kind = [fmean(measure_by_budget(choose, kind).values()) for kind in kinds]
        rows.append([name, *format_distances(measure_by_budget(choose, lists)), *map("{:.1f}".format, by_kind)])
    by_kind = [fmean(measure_spread(kind).values()) for kind in kinds]
    rows.append([AMONG, *format_distances(measure_spread(lists)), *map("{:.1f}".format, by_kind)])
    return format_table(rows[0], rows[1:])


def format_models(choose: ChooseSteps) -> str:
    """A row for each model."""
    lists = list_counted()
    rows = [["model", *map(str, BUDGETS), "mean"]]
    for model in SHIFTS:
        own = [each for each in lists if each.model == model]
        rows.append([model, *format_distances(measure_by_budget(choose, own))])
    return format_table(rows[0], rows[1:])


def format_distances(distances: Mapping[int, float]) -> list[str]:
    """The cells of the budgets and of the mean."""
    cells = [f"{distances[budget]:.1f}" if budget in distances else "–" for budget in BUDGETS]
    return [*cells, f"{fmean(distances.values()):.1f}"]


def read_steps(text: str) -> list[int]:
    """Read a list of a command line.

    Example:
        >>> read_steps("0,1,2,4,6,11,24,41,49")
        [0, 1, 2, 4, 6, 11, 24, 41, 49]
    """
    steps = sorted({int(part) for part in text.split(",")})
    if len(steps) not in BUDGETS or not 0 <= steps[0] <= steps[-1] < TOTAL:
        raise argparse.ArgumentTypeError(f"published are lists of 21, 13 and 9 of {TOTAL} steps, this has {len(steps)}")
    return steps


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", type=read_steps, action="append", default=[], metavar="0,1,...", help="a list of yours")
    options = parser.parse_args(arguments)
    schedules: dict[str, ChooseSteps] = {DEFAULT: choose_default, EVEN: choose_even}
    for steps in options.at:
        name = " ".join(map(str, steps))
        schedules[name] = lambda _, computed, steps=steps: steps if len(steps) == computed else []
    print(format_schedules(schedules), format_models(choose_default), sep="\n\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
