"""The tables of the docs, from the rows that `tests.comfyui.compare` has left: `python -m tests.comfyui.table`.

With `--spacings` the rows are those of samplers with spacings and several guidances: one mean over all of them for each
sampler and spacing, with the interval of the mean over everything.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from tests.comfyui.rows import PROMPTS, ROWS, SAMPLERS, Row, Rows, Setting
from tests.comfyui.search import Tried, nearest

from navicache.evaluation.intervals import estimate_mean


class Pair(NamedTuple):
    """One prompt: ours, and theirs at the nearest count."""

    plain: Row
    ours: Row
    theirs: Row

    @property
    def lead(self) -> float:
        """Decibels that ours is nearer to the uncached run."""
        return (self.ours.psnr or 0.0) - (self.theirs.psnr or 0.0)


def pairs(rows: Rows, setting: Setting) -> list[Pair]:
    """Every prompt for which all three are there; of several of ours the newest."""
    found: list[Pair] = []
    for ours in {row.prompt: row for row in rows.read(setting, cache="navicache")}.values():
        plain = rows.read(setting, ours.prompt, "plain")
        scored = {row.setting: row for row in rows.read(setting, ours.prompt, "easycache") if row.psnr is not None}
        if plain and scored:
            tried = [Tried(row.setting or 0.0, row.evaluations) for row in scored.values()]
            found.append(Pair(plain[0], ours, scored[nearest(tried, ours.evaluations).threshold]))
    return found


def cell(found: list[Pair]) -> str:
    """Ours, theirs, and what lies between: means over the prompts; theirs with its count where that is another."""
    leads = [pair.lead for pair in found]
    ours, theirs = (fmean(row.psnr or 0.0 for row in rows) for rows in zip(*(pair[1:] for pair in found), strict=True))
    more = fmean(pair.theirs.evaluations - pair.ours.evaluations for pair in found)
    counted = f" ({more:+.1f} computed)" if more else ""
    prompts = f"; {len(found)} prompts" if len(found) != PROMPTS else ""
    span = f"({min(leads):+.1f} to {max(leads):+.1f}{prompts})"
    return f"{ours:.1f}, {theirs:.1f}{counted}: **{fmean(leads):+.1f}** {span}"


def read_parts(folder: Path) -> dict[int, Rows]:
    """The rows of every number of steps."""
    return {int(part.name): Rows(part) for part in folder.iterdir() if part.name.isdigit()}


def table(folder: Path) -> list[str]:
    """One line a sampler, one column a number of steps."""
    parts = read_parts(folder)
    steps = sorted(parts)
    lines = [["sampler", *(f"{number} steps" for number in steps)], ["---"] * (1 + len(steps))]
    for sampler in SAMPLERS:
        columns = [pairs(parts[number], Setting(sampler)) for number in steps]
        lines.append([f"`{sampler}`", *(cell(found) if found else "" for found in columns)])
    return [f"| {' | '.join(line)} |" for line in lines]


def spacing_table(parts: dict[int, Rows], only: Sequence[str] = ()) -> list[str]:
    """One line a sampler, one column a spacing: the lead in decibels over all steps, guidances and prompts."""
    found: dict[tuple[str, str], list[float]] = {}
    for rows in parts.values():
        settings = dict.fromkeys(row.made_with for row in rows.all())
        for setting in [each for each in settings if not only or each.spacing in only]:
            leads = [pair.lead for pair in pairs(rows, setting)]
            found.setdefault((setting.sampler, setting.spacing), []).extend(leads)
    samplers, spacings = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
    lines = [["sampler", *spacings], ["---"] * (1 + len(spacings))]
    lines += [[f"`{name}`", *(_describe_leads(found.get((name, each), [])) for each in spacings)] for name in samplers]
    leads = [lead for each in found.values() for lead in each]
    mean = estimate_mean(leads)
    interval = "" if mean.low is None else f", {mean.low:+.1f} to {mean.high:+.1f} at 95 %"
    ahead = f"{sum(lead > 0 for lead in leads)} of {mean.count} ahead, least {min(leads):+.1f}"
    summary = f"mean {mean.mean:+.1f} dB{interval}, median {median(leads):+.1f}; {ahead}"
    return [*(f"| {' | '.join(line)} |" for line in lines), "", summary]


def _describe_leads(leads: list[float]) -> str:
    return f"{fmean(leads):+.1f}" + f" ({len(leads)})" * (len(leads) > 1) if leads else ""


def main(argv: list[str] | None = None) -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROWS)
    parser.add_argument("--spacings", nargs="*", help="samplers by spacings (all, or those named), over all settings")
    args = parser.parse_args(argv)
    as_usual = args.spacings is None
    print(*(table(args.folder) if as_usual else spacing_table(read_parts(args.folder), args.spacings)), sep="\n")


if __name__ == "__main__":
    main()
