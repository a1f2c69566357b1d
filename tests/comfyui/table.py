"""The tables of the docs, from the rows that `tests.comfyui.compare` has left: `python -m tests.comfyui.table`.

With `--spacings` the rows are those of samplers with spacings and several guidances: one mean over all of them for each
sampler and spacing, with the interval of the mean over prompts. With `--conditions` one line is for all settings that
have a number of steps, a guidance, a spacing, a sampler or a start in common, against both rivals.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
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

    def cut(self, limit: float) -> "Pair":
        """The same with at most so many decibels: beyond 45 nobody sees a difference."""
        ours, theirs = (replace(row, psnr=min(row.psnr or 0.0, limit)) for row in self[1:])
        return Pair(self.plain, ours, theirs)


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


def read_parts(*folders: Path) -> dict[int, Rows]:
    """The rows of every number of steps."""
    parts = [part for folder in folders for part in sorted(folder.iterdir()) if part.name.isdigit()]
    return {int(name): Rows(*(part for part in parts if part.name == name)) for name in {part.name for part in parts}}


def table(parts: dict[int, Rows]) -> list[str]:
    """One line a sampler, one column a number of steps."""
    steps = sorted(parts)
    lines = [["sampler", *(f"{number} steps" for number in steps)], ["---"] * (1 + len(steps))]
    for sampler in SAMPLERS:
        columns = [pairs(parts[number], Setting(sampler)) for number in steps]
        lines.append([f"`{sampler}`", *(cell(found) if found else "" for found in columns)])
    return [f"| {' | '.join(line)} |" for line in lines]


def fewer_steps_pairs(rows: Rows, setting: Setting) -> list[Pair]:
    """Every prompt that was sampled without a cache in as few steps as make the count."""
    plain, ours, fewer = (
        {row.prompt: row for row in rows.read(setting, cache=cache)} for cache in ("plain", "navicache", "fewer steps")
    )
    return [Pair(plain[prompt], ours[prompt], fewer[prompt]) for prompt in fewer]


RIVALS = {"easycache": pairs, "fewer steps": fewer_steps_pairs}


def spacing_table(parts: dict[int, Rows], only: Sequence[str] = (), rival: str = "easycache") -> list[str]:
    """One line a sampler, one column a spacing: the lead in decibels over all steps, guidances and prompts."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for rows in parts.values():
        for setting in [each for each in rows.by_setting if not only or each.spacing in only]:
            found.setdefault((setting.sampler, setting.spacing), []).extend(RIVALS[rival](rows, setting))
    samplers, spacings = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
    lines = [["sampler", *spacings], ["---"] * (1 + len(spacings))]
    lines += [[f"`{name}`", *(_describe_leads(found.get((name, each), [])) for each in spacings)] for name in samplers]
    everything = [pair for each in found.values() for pair in each]
    return [*(f"| {' | '.join(line)} |" for line in lines), "", _summarize(everything)]


class Lead(NamedTuple):
    """How far ours is ahead in one setting with one prompt, of both rivals where they were sampled."""

    labels: tuple[str, ...]
    easycache: float | None
    fewer_steps: float | None


def list_leads(parts: dict[int, Rows], limit: float = math.inf) -> Iterator[Lead]:
    """Every setting and prompt; more decibels than the limit count as that many."""
    for steps, rows in sorted(parts.items()):
        for setting in rows.by_setting:
            found = [
                {pair.ours.prompt: pair.cut(limit).lead for pair in RIVALS[rival](rows, setting)} for rival in RIVALS
            ]
            for prompt in dict.fromkeys(prompt for leads in found for prompt in leads):
                yield Lead(setting.list_conditions(steps), *(leads.get(prompt) for leads in found))


def condition_table(parts: dict[int, Rows], limit: float = math.inf) -> list[str]:
    """One line a condition, and the lead over both rivals in all settings that meet it."""
    leads = list(list_leads(parts, limit))
    heads = ("condition", "over EasyCache", "median, ahead", "over fewer steps", "least", "behind by more than 1")
    lines = [heads, ("---",) * len(heads)]
    for label in sorted({label for lead in leads for label in lead.labels}):
        theirs = [lead.easycache for lead in leads if label in lead.labels and lead.easycache is not None]
        fewer = [lead.fewer_steps for lead in leads if label in lead.labels and lead.fewer_steps is not None]
        if theirs and fewer:
            ahead = f"{median(theirs):+.1f}, {sum(lead > 0 for lead in theirs)} of {len(theirs)}"
            behind = f"{sum(lead < -1 for lead in fewer)} of {len(fewer)}"
            means = (f"{fmean(each):+.1f}" for each in (theirs, fewer))
            lines.append((label, next(means), ahead, next(means), f"{min(fewer):+.1f}", behind))
    return [f"| {' | '.join(line)} |" for line in lines]


def _summarize(found: list[Pair]) -> str:
    """The interval is of the mean over prompts: settings with one prompt go up and down together."""
    leads, by_prompt = [pair.lead for pair in found], dict[int, list[float]]()
    for pair in found:
        by_prompt.setdefault(pair.ours.prompt, []).append(pair.lead)
    mean = estimate_mean([fmean(each) for each in by_prompt.values()])
    interval = "" if mean.low is None else f", {mean.low:+.1f} to {mean.high:+.1f} at 95 % over {mean.count} prompts"
    ahead = f"{sum(lead > 0 for lead in leads)} of {len(leads)} ahead, least {min(leads):+.1f}"
    return f"mean {fmean(leads):+.1f} dB{interval}, median {median(leads):+.1f}; {ahead}"


def _describe_leads(found: list[Pair]) -> str:
    return f"{fmean(pair.lead for pair in found):+.1f}" + f" ({len(found)})" * (len(found) > 1) if found else ""


def main(argv: list[str] | None = None) -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=[ROWS])
    parser.add_argument("--conditions", action="store_true", help="a line for each condition, against both rivals")
    parser.add_argument("--limit", type=float, default=math.inf, help="with --conditions: more decibels count as this")
    parser.add_argument("--spacings", nargs="*", help="samplers by spacings (all, or those named), over all settings")
    parser.add_argument("--rival", choices=tuple(RIVALS), default="easycache", help="with --spacings: which is led")
    args = parser.parse_args(argv)
    parts = read_parts(*args.folders)
    if args.conditions:
        lines = condition_table(parts, args.limit)
    else:
        lines = table(parts) if args.spacings is None else spacing_table(parts, args.spacings, args.rival)
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
