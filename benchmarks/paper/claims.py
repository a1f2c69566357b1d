"""NaviCache minus every other policy at equal computed steps, prompt by prompt, with intervals.

    python -m benchmarks.paper.claims RESULTS... --csv docs/results/paper/claims.csv

RESULTS are folders of plans/pocket/family.toml. In each setting (model, sampler, guidance) a prompt is read between the
same two neighbours of a series, as `benchmarks.paper.forms` does. A prompt's differences are averaged over the
settings, and the 95 % bootstrap interval is over the prompts: it says how far other prompts may be from these, not
other models. `ahead` and `behind` count the settings whose own interval leaves zero out.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.paper.forms import OFFICIAL, Place, Prompt, read_prompts, save_csv, split_by_place
from navicache.cli.report.results import read_results
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.intervals import estimate_mean

RIVALS = ("EasyCache", "TeaCache", "MagCache", "PAB", "fewer steps", "EMA", "SeaCache", "Inertial")
ALL = "all"
BFLOAT16 = " bf16"  # ends the name of the same model in another number format

DifferenceByPrompt = dict[Prompt, float]
Comparison = tuple[str, str]  # rival and budget


@dataclass(frozen=True)
class PairedDifference:
    """NaviCache minus one rival at one budget, on one model or on all of them."""

    rival: str
    budget: str
    model: str
    settings: int  # in which both reach the budget
    prompts: int
    difference: float  # dB, mean over prompts and settings
    low: float | None
    high: float | None
    ahead: int  # settings whose own interval lies above zero
    behind: int  # below zero
    wide: int  # settings in which one of the two is read between neighbours too far apart to trust the line


@dataclass(frozen=True)
class SettingDifferences:
    """The differences of two series in one setting at one budget."""

    differences: DifferenceByPrompt
    is_wide: bool  # one of the two is read between neighbours too far apart


def compare_policies(
    rows: Sequence[Row], rivals: Sequence[str] = RIVALS, official: str = OFFICIAL
) -> list[PairedDifference]:
    """Every rival at every budget: on all models, then on each."""
    found: dict[Comparison, dict[Place, SettingDifferences]] = {}
    for place, own in split_by_place(rows).items():
        for comparison, one in compare_in_setting(own, official, rivals):
            found.setdefault(comparison, {})[place] = one
    ordered = sorted(found.items(), key=lambda entry: rivals.index(entry[0][0]))
    return [each for comparison, by_place in ordered for each in _summarise(comparison, by_place)]


def compare_in_setting(
    rows: Sequence[Row], official: str, rivals: Sequence[str] = ()
) -> Iterator[tuple[Comparison, SettingDifferences]]:
    """One series minus each rival (without names: all others) at every budget that both reach."""
    prompts = read_prompts(rows)
    for standings in zip(*prompts.values(), strict=True):
        points = [each.points_by_series for each in standings]
        for rival in rivals or points[0]:
            if rival == official or not all(rival in own and official in own for own in points):
                continue
            differences = [own[official].psnr - own[rival].psnr for own in points]
            is_wide = any(standings[0].is_wide(points[0][name]) for name in (rival, official))
            one = SettingDifferences(dict(zip(prompts, differences, strict=True)), is_wide)
            yield (rival, str(standings[0].budget)), one


def _summarise(comparison: Comparison, by_place: Mapping[Place, SettingDifferences]) -> Iterator[PairedDifference]:
    by_model: dict[str, list[SettingDifferences]] = {ALL: list(by_place.values())}
    for (model, _), one in by_place.items():
        by_model.setdefault(model.removesuffix(BFLOAT16), []).append(one)
    for model, ones in by_model.items():
        yield _pool_settings(comparison, model, ones)


def _pool_settings(comparison: Comparison, model: str, ones: Sequence[SettingDifferences]) -> PairedDifference:
    shared = [prompt for prompt in ones[0].differences if all(prompt in one.differences for one in ones)]
    mean, low, high, _ = estimate_mean([fmean(one.differences[prompt] for one in ones) for prompt in shared])
    ends = [estimate_mean(list(one.differences.values())) for one in ones]
    return PairedDifference(
        *comparison,
        model,
        len(ones),
        len(shared),
        mean,
        low,
        high,
        ahead=sum(end.low is not None and end.low > 0 for end in ends),
        behind=sum(end.high is not None and end.high < 0 for end in ends),
        wide=sum(one.is_wide for one in ones),
    )


def format_markdown(found: Sequence[PairedDifference], model: str = ALL) -> str:
    """A row for each rival, a column for each budget."""
    own = {(each.rival, each.budget): each for each in found if each.model == model}
    budgets = list(dict.fromkeys(budget for _, budget in own))
    lines = ["| NaviCache minus | " + " | ".join(budgets) + " |", "|---|" + "---|" * len(budgets)]
    for rival in dict.fromkeys(rival for rival, _ in own):
        cells = (_format_cell(own.get((rival, budget))) for budget in budgets)
        lines.append(f"| {rival} | " + " | ".join(cells) + " |")
    return f"**{model}**\n\n" + "\n".join(lines)


def _format_cell(each: PairedDifference | None) -> str:
    if each is None:
        return "-"
    interval = "" if each.low is None else f" ({each.low:+.2f} to {each.high:+.2f})"
    return f"{each.difference:+.2f}{interval}; {each.ahead} / {each.behind} of {each.settings}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables and write the CSV; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--csv", type=Path, help="write every figure here")
    options = parser.parse_args(arguments)
    try:
        found = compare_policies(read_results(options.results).rows)
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print("\n\n".join(format_markdown(found, model) for model in dict.fromkeys(each.model for each in found)))
    print("\ndB (95 % interval over the prompts); settings ahead / behind beyond their own interval, of all")
    if options.csv is not None and found:
        save_csv(found, options.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
