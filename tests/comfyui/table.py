"""The table of the docs, from the rows that `tests.comfyui.compare` has left: `python -m tests.comfyui.table`."""

import argparse
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from tests.comfyui.rows import PROMPTS, SAMPLERS, Row, Rows, Setting
from tests.comfyui.search import Tried, nearest

ROWS = Path(__file__).parents[2] / "benchmarks" / "results" / "comfyui"


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
    """Every prompt for which all three are there."""
    found: list[Pair] = []
    for ours in rows.read(setting, cache="navicache"):
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


def table(folder: Path) -> list[str]:
    """One line a sampler, one column a number of steps."""
    parts = {int(part.name): Rows(part) for part in folder.iterdir() if part.name.isdigit()}
    steps = sorted(parts)
    lines = [["sampler", *(f"{number} steps" for number in steps)], ["---"] * (1 + len(steps))]
    for sampler in SAMPLERS:
        columns = [pairs(parts[number], Setting(sampler)) for number in steps]
        lines.append([f"`{sampler}`", *(cell(found) if found else "" for found in columns)])
    return [f"| {' | '.join(line)} |" for line in lines]


def main(argv: list[str] | None = None) -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROWS)
    print(*table(parser.parse_args(argv).folder), sep="\n")


if __name__ == "__main__":
    main()
