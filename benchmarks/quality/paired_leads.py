"""The lead of one series over the others at equal computed steps, paired by prompt, averaged over settings.

    python -m benchmarks.quality.paired_leads RESULTS... --series Inertial
    python -m benchmarks.quality.paired_leads RESULTS... --series NaviCache --over EasyCache EMA "fewer steps"

RESULTS are folders of plans/pocket/family.toml. A lead counts where both series reach the budget. Every setting has the
same prompts, so the 95 % bootstrap interval is over prompts: each has the mean of its differences over the settings.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.paper.claims import Comparison, compare_in_setting
from benchmarks.paper.forms import split_by_place
from navicache.cli.report.results import read_results
from navicache.evaluation.bench.equal_steps import BUDGETS
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.intervals import MeanEstimate, estimate_mean

Differences = tuple[float, ...]  # dB, one for each prompt, of one setting


@dataclass(frozen=True)
class PairedLead:
    """The lead over one series at one budget."""

    other: str
    budget: str
    mean: MeanEstimate  # dB; the interval is over prompts
    least: float  # dB, in the setting where the mean over prompts is smallest
    ahead: int  # settings
    settings: int


def measure_leads(rows: Sequence[Row], series: str) -> list[PairedLead]:
    """The leads of a series over each of the others, over all settings in which both reach the budget."""
    by_place = split_by_place([row for row in rows if row["kind"] in ("baseline", "cached")])
    found: dict[Comparison, list[Differences]] = defaultdict(list)
    for own in by_place.values():
        for comparison, one in compare_in_setting(own, series):
            found[comparison].append(tuple(one.differences.values()))
    return [_average_leads(*comparison, settings) for comparison, settings in found.items()]


def _average_leads(other: str, budget: str, settings: Sequence[Differences]) -> PairedLead:
    by_prompt = [fmean(values) for values in zip(*settings, strict=True)]
    means = [fmean(values) for values in settings]
    return PairedLead(
        other, budget, estimate_mean(by_prompt), min(means), sum(mean > 0 for mean in means), len(settings)
    )


def format_markdown(leads: Sequence[PairedLead], over: Sequence[str] = ()) -> str:
    """A row for each other series, a column for each budget."""
    budgets = [str(budget) for budget in BUDGETS]
    names = over or list(dict.fromkeys(lead.other for lead in leads))
    cells = {(lead.other, lead.budget): _format_lead(lead) for lead in leads}
    rows = [f"| {name} | " + " | ".join(cells.get((name, each), "-") for each in budgets) + " |" for name in names]
    return "\n".join(["| over | " + " | ".join(budgets) + " |", "|---|" + "---|" * len(budgets), *rows])


def _format_lead(lead: PairedLead) -> str:
    mean, low, high, _ = lead.mean
    interval = "" if low is None or high is None else f" [{low:+.2f}, {high:+.2f}]"
    return f"{mean:+.2f}{interval}, least {lead.least:+.2f}, ahead in {lead.ahead} of {lead.settings}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--series", default="Inertial", help="whose lead (%(default)s)")
    parser.add_argument("--over", nargs="+", action="extend", default=[], help="series it is held against (all)")
    options = parser.parse_args(arguments)
    leads = measure_leads(read_results(options.results).rows, options.series)
    if missing := set(options.over) - {lead.other for lead in leads}:
        known = ", ".join(sorted({lead.other for lead in leads}))
        parser.exit(2, f"{parser.prog}: no lead of {options.series!r} over {sorted(missing)}; there are: {known}\n")
    print(format_markdown(leads, options.over))
    print("\nmean dB [95 % interval over prompts], the least in one setting")
    return 0


if __name__ == "__main__":
    sys.exit(main())
